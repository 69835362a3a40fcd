// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::semihost {

/// Converts an errno of the host to picolibc's. The lowest numbers are the same on all systems.
[[nodiscard]] int picolibc_errno(int host);

} // namespace levee::semihost
