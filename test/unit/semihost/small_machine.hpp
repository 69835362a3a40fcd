// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/semihost/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::test {

/// A machine for semihosting: a few bytes of memory, and the text that a program prints and reads.
class SmallMachine {
public:
    static constexpr std::uint32_t base = 0x8000'0000;

    explicit SmallMachine(std::size_t bytes) : memory(bytes) {}

    std::vector<std::uint8_t> memory;
    std::string printed, input;
    std::optional<int> ended;
    std::uint64_t now_ps = 0;

protected:
    semihost::Machine machine()
    {
        return {[this](std::uint32_t address, std::span<std::uint8_t> bytes) {
                    if (!fits(address, bytes.size()))
                        return false;
                    std::copy_n(memory.begin() + (address - base), bytes.size(), bytes.begin());
                    return true;
                },
                [this](std::uint32_t address, std::span<const std::uint8_t> bytes) {
                    if (!fits(address, bytes.size()))
                        return false;
                    std::copy(bytes.begin(), bytes.end(), memory.begin() + (address - base));
                    return true;
                },
                [this](char byte) { printed += byte; },
                [this](int code) { ended = code; },
                [this] { return now_ps; },
                [this]() -> std::optional<std::uint8_t> {
                    if (input.empty())
                        return std::nullopt;
                    const auto byte = static_cast<std::uint8_t>(input.front());
                    input.erase(0, 1);
                    return byte;
                }};
    }

private:
    [[nodiscard]] bool fits(std::uint32_t address, std::size_t size) const
    {
        return address >= base && address - base <= memory.size() &&
               size <= memory.size() - (address - base);
    }
};

} // namespace levee::test
