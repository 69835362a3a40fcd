// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace levee::semihost {

struct Machine {
    /// Access memory at the core's addresses. They return false if a part of the range is not in
    /// memory.
    std::function<bool(std::uint32_t address, std::span<std::uint8_t> bytes)> read;
    std::function<bool(std::uint32_t address, std::span<const std::uint8_t> bytes)> write;
    std::function<void(char byte)> print;
    std::function<void(int code)> exit;
    std::function<std::uint64_t()> now_ps; ///< simulated time since the start
    /// Takes the next byte of standard input; nothing at its end.
    std::function<std::optional<std::uint8_t>()> input;
};

} // namespace levee::semihost
