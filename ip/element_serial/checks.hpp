// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/regs.h"

#include <cstdint>

namespace levee::element_serial {

/// Throws CommandFault for the first field that violates ip/element_serial/regs.h.
void check(std::uint8_t opcode, const levee_es_operation& operation);

} // namespace levee::element_serial
