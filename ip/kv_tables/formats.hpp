// SPDX-License-Identifier: Apache-2.0
// The part of the reference that keeps track of tokens stored as layer inputs.
#pragma once

#include "ip/kv_tables/model.hpp"

namespace levee::kv_tables {

/// Updates the formats once the victims of an EVICT are known. No effect without formats. Throws
/// Refusal.
void update_formats(Entry& entry, const Arrival& arrival, Evicted& evicted);

} // namespace levee::kv_tables
