// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/config.hpp"
#include "ip/flash/page_accesses.hpp"

#include <cstdint>

namespace levee::flash {

/// Throws CommandFault for an operation that the queue does not support.
void check(std::uint8_t opcode, const levee_flash_operation& op, const Config& config);
/// The same for PROGRAM and ERASE: pages must not be lost, and pages to be programmed must be
/// erased.
void check_writable(std::uint8_t opcode, const PageAccesses& pages, const Cells& cells);

} // namespace levee::flash
