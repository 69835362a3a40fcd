// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/model_name.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>

namespace levee {

std::string model_name_of(std::string text)
{
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    for (char& c : text) {
        const auto code = static_cast<unsigned char>(c);
        c = code < 0x20 || code == 0x7F ? ' ' : c;
    }
    std::size_t most = std::min(text.size(), longest_model_name);
    while (most > 0 && most < text.size() &&
           (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U)
        --most;
    return text.substr(0, most);
}

void check_model_name(const std::string& name, const std::string& place)
{
    if (name.size() > longest_model_name)
        throw ModelError(place + ": " + std::to_string(name.size()) + " bytes, expected at most " +
                         std::to_string(longest_model_name));
}

} // namespace levee
