// SPDX-License-Identifier: Apache-2.0
// The part of the reference that keeps track of tokens stored as layer inputs.
#pragma once

#include "ip/systolic_evictor/model.hpp"

namespace levee::systolic_evictor {

/// After the victims of an EVICT are known: who holds which x row. No effect without formats.
/// Throws Refusal.
void update_formats(Entry& entry, const Arrival& arrival, Evicted& evicted);

} // namespace levee::systolic_evictor
