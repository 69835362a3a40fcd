// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/regs.h"

namespace levee::rsa {

/// Throws CommandFault unless the array takes the operation; what it says of memory is not looked
/// at.
void check(const levee_rsa_operation& gemm);

} // namespace levee::rsa
