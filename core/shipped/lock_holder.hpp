// SPDX-License-Identifier: Apache-2.0
// Who holds a locked file, for those who meet the lock.
#pragma once

#include <string>

namespace levee {

/// Writes this process into the locked file, in the place of whoever had it before.
void write_holder(int descriptor);

/// What its holder wrote: "process 123 on host".
[[nodiscard]] std::string holder_of(int descriptor);

} // namespace levee
