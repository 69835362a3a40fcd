// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/forks.hpp"

namespace levee::sweep {

/// Lets runs reuse results that components of earlier runs have computed, such as a DRAM's prices.
/// They are kept only in this process. Results do not depend on this, since a price is the same
/// wherever it is computed.
[[nodiscard]] Handed shared_prices();

} // namespace levee::sweep
