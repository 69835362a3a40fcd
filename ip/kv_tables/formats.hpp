// SPDX-License-Identifier: Apache-2.0
// The part of the reference that tracks the tokens stored as recomputed inputs.
#pragma once

#include "ip/kv_tables/model.hpp"

namespace levee::kv_tables {

/// Updates the formats after an EVICT has chosen its victims. No effect without formats. Throws
/// Refusal.
void update_formats(Entry& entry, const Arrival& arrival, Evicted& evicted);

} // namespace levee::kv_tables
