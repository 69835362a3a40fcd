// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/decisions/recording.hpp"

namespace levee {

/// Fingerprint of everything that determines the placement and the inputs of a run's tables: model,
/// policy, workload and memories, but nothing that affects time only. `model` and `workload` may be
/// null.
[[nodiscard]] Fingerprint fingerprint_of(const SystemPlan& plan, const config::Scenario& scenario,
                                         const ModelImage* model, const PreparedWorkload* workload);

} // namespace levee
