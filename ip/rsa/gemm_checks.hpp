// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/regs.h"

namespace levee::rsa {

/// Throws CommandFault unless the array supports the operation. Addresses are not checked here.
void check(const levee_rsa_operation& gemm);

} // namespace levee::rsa
