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

/// Returns the name of a descriptor's operation, such as "GEMM" or "SOFTMAX"; "opcode 77" if the
/// component has no such operation.
[[nodiscard]] std::string operation_name(const Declaration& declaration,
                                         const levee_descriptor& descriptor);

/// Returns the name of the descriptor's field at a byte offset, such as "tag" or "a_stride[2]". It
/// is the name in core/abi/descriptor.h or in the component's regs.h.
[[nodiscard]] std::string field_name(const Declaration& declaration, std::uint8_t version,
                                     std::uint32_t offset);

/// A descriptor's fields as text, with the names and the order of descriptor.h and the component's
/// regs.h. Numbers are decimal, addresses are hexadecimal, values of enumerations are names, and
/// groups look like "[1, 2]". Reserved fields and unused waits, signals and indirect operands are
/// omitted. `operation` is the result of CommandQueue::operation().
using Fields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Fields operation_fields(const Declaration& declaration,
                                      const levee_descriptor& descriptor,
                                      std::span<const std::uint8_t> operation);

} // namespace levee::trace
