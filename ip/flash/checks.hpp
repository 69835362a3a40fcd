// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/config.hpp"
#include "ip/flash/page_accesses.hpp"

#include <cstdint>

namespace levee::flash {

/// Throws CommandFault unless the queue takes the operation.
void check(std::uint8_t opcode, const levee_flash_operation& op, const Config& config);
/// Likewise of PROGRAM and ERASE: their pages are not lost, and those to be programmed are erased.
void check_writable(std::uint8_t opcode, const PageAccesses& pages, const Cells& cells);

} // namespace levee::flash
