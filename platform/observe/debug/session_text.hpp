// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/packet.hpp"
#include "platform/observe/debug/session.hpp"

namespace levee::debug {

constexpr const char* ok = "OK";

inline Answer reply(std::string text)
{
    return {std::move(text), {}, false};
}

struct Range {
    std::uint64_t address;
    std::uint64_t length;
};

/// Reads `ADDRESS,LENGTH`.
inline std::optional<Range> range_from(std::string_view text)
{
    const auto address = number_from_hex(take_until(text, ','));
    const auto length = number_from_hex(text);
    if (!address || !length)
        return std::nullopt;
    return Range{*address, *length};
}

} // namespace levee::debug
