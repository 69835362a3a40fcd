// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/boot_info.h"
#include "ip/common/descriptor.h"
#include "ip/common/fields.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::trace {

/// What a descriptor asks for: "GEMM", "SOFTMAX"; "opcode 77" if the block has no such.
[[nodiscard]] std::string operation_name(levee_block_type block,
                                         const levee_descriptor& descriptor);

/// The members of the block's own operation, in their order; none if it takes no descriptors.
[[nodiscard]] std::span<const Field> fields_of(levee_block_type block);

/// The descriptor's fields by their names in descriptor.h and the block's regs.h, in their order:
/// numbers in decimal, addresses in hexadecimal, groups as "[1, 2]". Unused waits, signals and
/// indirect operands and reserved fields are left out.
using Fields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Fields operation_fields(levee_block_type block, const levee_descriptor& descriptor);

} // namespace levee::trace
