// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/machine/assembly/plan.hpp"

#include <cstdint>

namespace levee {

/// Returns the base address of the memory in which a conversation's keys and values are saved.
/// Throws config::Error at the key if nothing can be saved there. Firmware checks what depends on
/// its own placement: whether there is room, and whether the memory already holds the whole cache.
[[nodiscard]] std::uint64_t save_base(const SystemPlan& plan, const config::Save& save);

/// Checks a scenario's `workload.save`, if it has one. A run makes the same check, but this one
/// needs no model. Throws config::Error.
void check_save(const SystemPlan& plan, const config::Scenario& scenario);

} // namespace levee
