// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/regs.h"

namespace levee::veda {

/// Throws CommandFault for the first field that violates ip/veda/regs.h.
void check(const levee_veda_operation& gemv);

} // namespace levee::veda
