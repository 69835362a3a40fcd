// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/model.hpp"

namespace levee::kv_tables {

/// Updates the formats after EVICT has chosen its victims. Does nothing if the operation has no
/// formats. Throws Refusal.
void update_formats(Entry& entry, const Arrival& arrival, Evicted& evicted);

} // namespace levee::kv_tables
