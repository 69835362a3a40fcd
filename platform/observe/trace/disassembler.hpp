// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/decode.hpp"

#include <cstdint>
#include <string>

namespace levee::trace {

/// Returns the ABI name of an integer register, 0 to 31: "zero", "ra", ...
[[nodiscard]] const char* register_name(unsigned index);

/// Returns the name of a CSR, or its number ("0x7c0") if it has no name.
[[nodiscard]] std::string csr_name(std::uint32_t number);

/// Disassembles like GNU objdump, with the usual pseudo-instructions. A tab separates mnemonic and
/// operands; jump targets are plain hexadecimal addresses.
[[nodiscard]] std::string disassemble(const riscv::Op& op);

} // namespace levee::trace
