// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/model_name.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace levee {

namespace {

/// Returns the text without control characters.
std::string plain(std::string text)
{
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    for (char& c : text) {
        const auto code = static_cast<unsigned char>(c);
        c = code < 0x20 || code == 0x7F ? ' ' : c;
    }
    return text;
}

/// Returns "~" and four hexadecimal digits of the text's FNV-1a hash.
std::string mark_of(const std::string& text)
{
    std::uint32_t hash = 2166136261U;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::array<char, 8> mark{};
    std::snprintf(mark.data(), mark.size(), "~%04x", (hash ^ (hash >> 16U)) & 0xFFFFU);
    return mark.data();
}

} // namespace

std::string model_name_of(std::string text)
{
    text = plain(std::move(text));
    if (text.size() <= longest_model_name)
        return text;
    const std::string mark = mark_of(text);
    std::size_t most = longest_model_name - mark.size();
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U)
        --most;
    return text.substr(0, most) + mark;
}

std::optional<std::string> note_on_name(const std::string& text)
{
    const std::string whole = plain(text);
    if (whole.size() <= longest_model_name)
        return std::nullopt;
    return "its name '" + whole + "' is longer than the " + std::to_string(longest_model_name) +
           " bytes that an image holds: it is shortened to '" + model_name_of(text) +
           "' (--name sets another)";
}

void check_model_name(const std::string& name, const std::string& place)
{
    if (name.size() > longest_model_name)
        throw ModelError(place + ": " + std::to_string(name.size()) + " bytes, expected at most " +
                         std::to_string(longest_model_name));
}

} // namespace levee
