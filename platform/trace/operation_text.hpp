#pragma once

#include "ip/common/boot_info.h"
#include "ip/common/descriptor.h"

#include <string>
#include <utility>
#include <vector>

namespace levee::trace {

/// What a descriptor asks for: "GEMM", "SOFTMAX"; "opcode 77" if the block has no such.
[[nodiscard]] std::string operation_name(levee_block_type block,
                                         const levee_descriptor& descriptor);

/// The descriptor's fields by their names in descriptor.h and the block's regs.h, in their order:
/// numbers in decimal, addresses in hexadecimal, groups as "[1, 2]". Unused waits, signals and
/// indirect operands are left out.
using Fields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Fields operation_fields(levee_block_type block, const levee_descriptor& descriptor);

} // namespace levee::trace
