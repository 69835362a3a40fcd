// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace levee::semihost {

/// Interface to the machine whose program makes the request.
struct Machine {
    /// Accesses memory at the core's addresses; false if part of the range is not memory.
    std::function<bool(std::uint32_t address, std::span<std::uint8_t> bytes)> read;
    std::function<bool(std::uint32_t address, std::span<const std::uint8_t> bytes)> write;
    std::function<void(char byte)> print;
    std::function<void(int code)> exit;
    std::function<std::uint64_t()> now_ps; ///< simulated time since the start
    /// Takes the next byte of standard input; none at its end.
    std::function<std::optional<std::uint8_t>()> input;
};

} // namespace levee::semihost
