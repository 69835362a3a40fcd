// SPDX-License-Identifier: Apache-2.0
// Checks before a run whether the parts of the machine support the model.
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/machine/assembly/system.hpp"

namespace levee {

/// Checks the parts of the workload's machine (firmware/machines/parts.h). Throws config::Error if
/// a part does not support the model or the batch, if it treats keys and values separately but the
/// model has latent vectors, or if its memory lacks the layers' matrices. Also throws if a key
/// needs access to rows of the cache, but local layers or the part for attention do not allow it.
/// `context` is the maximum number of tokens in a sequence. Machines and parts in a user's firmware
/// are unknown here, so that firmware must check them itself.
void check_parts(const SystemPlan& plan, const config::Scenario& scenario, const ModelImage& model,
                 std::uint32_t context);

/// Throws config::Error if rows of the cache are to be copied, and the workload's part for
/// attention keeps them where no other block can access them. It needs no model.
void check_copies(const config::Scenario& scenario);

/// Throws config::Error if keys and values are to be stored after multiplication by a Hadamard
/// matrix, but the machine or the model (or draft model) does not allow this.
void check_hadamard(const config::Scenario& scenario, const config::ModelConfig& config,
                    const ModelImage& model);

} // namespace levee
