// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"
#include "core/command/declaration.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::trace {

/// Name of a descriptor's operation: "GEMM", "SOFTMAX"; "opcode 77" if the component does not have
/// it.
[[nodiscard]] std::string operation_name(const Declaration& declaration,
                                         const levee_descriptor& descriptor);

/// Name of the field at a byte offset of a descriptor in memory, as core/abi/descriptor.h or the
/// component's regs.h spells it: "tag", "a_stride[2]".
[[nodiscard]] std::string field_name(const Declaration& declaration, std::uint8_t version,
                                     std::uint32_t offset);

/// Text of a descriptor's fields, named and ordered as in descriptor.h and the component's regs.h:
/// numbers in decimal, values of an enumeration by name, addresses in hexadecimal, groups as "[1,
/// 2]". Unused waits, signals and indirect operands and reserved fields are omitted. `operation` is
/// all of the operation's bytes, as CommandQueue::operation() returns them.
using Fields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Fields operation_fields(const Declaration& declaration,
                                      const levee_descriptor& descriptor,
                                      std::span<const std::uint8_t> operation);

} // namespace levee::trace
