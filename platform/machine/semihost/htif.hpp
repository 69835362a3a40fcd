// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/semihost/machine.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace levee::semihost {

/// The requests of Spike's host-target interface that programs for simulators make: device 0, the
/// system calls read, write, close and exit of RISC-V Linux on standard input and output, and
/// device 1, the console.
class Htif {
public:
    /// The place of the program's two words of 64 bits.
    struct Words {
        std::uint32_t tohost = 0;
        std::optional<std::uint32_t> fromhost; ///< answers go there
    };

    Htif(Machine machine, Words words) : machine_(std::move(machine)), words_(words) {}

    /// Serves a request: tohost is zero afterwards, and fromhost has the answer. Returns the fault
    /// of one that cannot be served.
    [[nodiscard]] std::optional<std::string> serve(std::uint64_t request);

private:
    using Arguments = std::array<std::uint64_t, 4>; ///< the call's number first

    [[nodiscard]] std::optional<std::string> call(std::uint64_t block);
    [[nodiscard]] std::uint64_t result(const Arguments& call);
    [[nodiscard]] std::uint64_t write(const Arguments& call);
    [[nodiscard]] std::uint64_t read(const Arguments& call);
    [[nodiscard]] std::optional<std::string> console(std::uint64_t command, std::uint8_t byte);
    [[nodiscard]] std::optional<std::string> answer(std::uint64_t value);
    [[nodiscard]] bool store(std::uint64_t address, std::uint64_t value);

    Machine machine_;
    Words words_;
};

} // namespace levee::semihost
