// SPDX-License-Identifier: Apache-2.0
// Checks, before a run begins, of whether the parts of the machine support the model.
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/machine/assembly/system.hpp"

namespace levee {

/// Throws config::Error if a part of the workload's machine lacks a feature of the model
/// (firmware/machines/parts.h), reads matrices from a memory that does not have them, or would
/// divide latent vectors. Also throws if a key needs rows of the cache that windows or the part do
/// not have, with this many tokens of context. Machines and parts of a user's firmware are unknown
/// here: that firmware refuses by itself.
void check_parts(const SystemPlan& plan, const config::Scenario& scenario, const ModelImage& model,
                 std::uint32_t context);

} // namespace levee
