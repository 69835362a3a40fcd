// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/decode.hpp"

#include <cstdint>
#include <string>

namespace levee::trace {

/// The ABI name of an integer register, 0 to 31: "zero", "ra", ...
[[nodiscard]] const char* register_name(unsigned index);

/// Name of a CSR; without one its number, as "0x7c0".
[[nodiscard]] std::string csr_name(std::uint32_t number);

/// Disassembly as GNU objdump writes it, with the usual pseudo-instructions. A tab separates
/// mnemonic and operands; jump targets are plain hexadecimal addresses.
[[nodiscard]] std::string disassemble(const riscv::Op& op);

} // namespace levee::trace
