// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/forks.hpp"

namespace levee::sweep {

/// Lets runs reuse results that components have computed in earlier runs, such as the durations of
/// DRAM accesses. They are only kept in this process. A run's figures do not depend on it, since
/// the results are the same wherever they are computed.
[[nodiscard]] Handed shared_prices();

} // namespace levee::sweep
