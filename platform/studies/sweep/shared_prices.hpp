// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/forks.hpp"

namespace levee::sweep {

/// Lets runs reuse results that components have computed in earlier runs, such as the durations of
/// DRAM accesses. Only this process keeps the results. They do not change a run's figures, since
/// every run would compute the same results.
[[nodiscard]] Handed shared_prices();

} // namespace levee::sweep
