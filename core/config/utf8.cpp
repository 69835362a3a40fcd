// SPDX-License-Identifier: Apache-2.0
#include "core/config/utf8.hpp"

#include "core/config/error.hpp"

#include <cstddef>
#include <cstdio>

namespace levee::config {

namespace {

/// Number of bytes of the UTF-8 character (RFC 3629) at position `at`; 0 if it is invalid.
std::size_t character_at(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t bytes = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (bytes == 0 || first > 0xF4 || bytes > text.size() - at)
        return 0;
    for (std::size_t i = 1; i < bytes; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    const unsigned second = byte(1);
    const bool is_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool is_surrogate = first == 0xED && second > 0x9F;
    const bool is_beyond = first == 0xF4 && second > 0x8F;
    return is_long || is_surrogate || is_beyond ? 0 : bytes;
}

} // namespace

void check_utf8(const std::shared_ptr<const std::string>& file, std::string_view text)
{
    Place place{file, 1, 1};
    std::size_t line = 0;
    for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
        bytes = character_at(text, at);
        place.column = static_cast<int>(at - line) + 1;
        if (bytes == 0) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "0x%02X", static_cast<unsigned char>(text[at]));
            throw Error(place,
                        std::string("byte ") + hex + " is not valid UTF-8; expected text in UTF-8");
        }
        if (text[at] == '\n') {
            ++place.line;
            line = at + 1;
        }
    }
}

} // namespace levee::config
