// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::semihost {

/// picolibc's number of an error of the host; the lowest are the same on all systems.
[[nodiscard]] int picolibc_errno(int host);

} // namespace levee::semihost
