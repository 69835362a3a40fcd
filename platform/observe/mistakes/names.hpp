// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_regs.h"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/trace/symbols.hpp"

#include <cstdint>
#include <string>

namespace levee::mistakes {

/// Names and places for messages. All arguments must outlive the simulation.
struct Context {
    System& system;
    const SystemPlan& plan;
    const trace::Symbols& symbols;

    /// "0x80000124 <main+0x14>"
    [[nodiscard]] std::string place(std::uint32_t pc) const;
};

[[nodiscard]] std::string hex(std::uint64_t value);

/// "queue overflow", "field out of range"
[[nodiscard]] std::string error_name(std::uint32_t code);

/// "GEMM, tag 7"
[[nodiscard]] std::string operation_of(const Declaration& declaration,
                                       const levee_descriptor& descriptor);

/// A block's register, read without side effects; 0 if there is none at this offset.
[[nodiscard]] std::uint32_t peek(const RegisterFile& registers, std::uint32_t offset);

/// Prints one line on standard error, under the name of the block or core concerned.
void warn(const std::string& who, const std::string& text);

} // namespace levee::mistakes
