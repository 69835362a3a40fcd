// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"
#include "ip/common/descriptor.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::trace {

/// What a descriptor asks for: "GEMM", "SOFTMAX"; "opcode 77" if the component has no such.
[[nodiscard]] std::string operation_name(const Declaration& declaration,
                                         const levee_descriptor& descriptor);

/// The field at a byte of a descriptor in memory (ip/common/descriptor.h), as descriptor.h or the
/// component's regs.h calls it: "tag", "a_stride[2]".
[[nodiscard]] std::string field_name(const Declaration& declaration, std::uint8_t version,
                                     std::uint32_t offset);

/// The descriptor's fields by their names in descriptor.h and the component's regs.h, in their
/// order: numbers in decimal, addresses in hexadecimal, groups as "[1, 2]". Unused waits, signals
/// and indirect operands and reserved fields are left out. `operation`: all of its bytes, as
/// CommandQueue::operation() has them.
using Fields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Fields operation_fields(const Declaration& declaration,
                                      const levee_descriptor& descriptor,
                                      std::span<const std::uint8_t> operation);

} // namespace levee::trace
