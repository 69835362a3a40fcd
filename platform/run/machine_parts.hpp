// SPDX-License-Identifier: Apache-2.0
// Refusals of models by the parts of the machine that are to compute them, before a run begins.
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/machine/assembly/system.hpp"

namespace levee {

/// Throws config::Error if a part of the workload's machine cannot do what the model has
/// (firmware/machines/parts.h), takes matrices from a memory that does not have them, or would
/// divide latent vectors; or if a key needs rows of the cache that windows or the part do not have,
/// with so many tokens of context. Machines and parts of another firmware are not known: it refuses
/// by itself.
void check_parts(const SystemPlan& plan, const config::Scenario& scenario, const ModelImage& model,
                 std::uint32_t context);

} // namespace levee
