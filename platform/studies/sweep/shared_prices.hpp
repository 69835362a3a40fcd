// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/forks.hpp"

namespace levee::sweep {

/// Has runs look up what components of runs before them have worked out, as a DRAM its prices. They
/// are kept in this process alone, and results do not depend on it: a price is the same wherever it
/// is worked out.
[[nodiscard]] Handed shared_prices();

} // namespace levee::sweep
