// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/semihost/machine.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace levee::semihost {

/// Serves Spike's host-target interface, as far as programs for simulators use it. Device 0 has the
/// RISC-V Linux system calls read, write, close and exit, for standard input and output. Device 1
/// is the console.
class Htif {
public:
    /// The addresses of the program's two 64-bit words.
    struct Words {
        std::uint32_t tohost = 0;
        std::optional<std::uint32_t> fromhost; ///< word for answers, if the program has one
    };

    Htif(Machine machine, Words words) : machine_(std::move(machine)), words_(words) {}

    /// Handles a request. Unless the program has ended, tohost is zero afterwards, and fromhost has
    /// the answer if there is one. Returns an error message if the request cannot be handled.
    [[nodiscard]] std::optional<std::string> serve(std::uint64_t request);

private:
    using Arguments = std::array<std::uint64_t, 4>; ///< the call's number, and then its arguments

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
