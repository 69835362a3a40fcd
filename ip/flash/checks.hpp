// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/config.hpp"
#include "ip/flash/page_accesses.hpp"

#include <cstdint>

namespace levee::flash {

/// Throws CommandFault for an operation that the queue does not support.
void check(std::uint8_t opcode, const levee_flash_operation& op, const Config& config);
/// Throws CommandFault if a PROGRAM or ERASE uses a lost page, or if a PROGRAM uses a page that is
/// not erased.
void check_writable(std::uint8_t opcode, const PageAccesses& pages, const Cells& cells);

} // namespace levee::flash
