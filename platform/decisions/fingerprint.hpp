#pragma once

#include "platform/assembly/plan.hpp"
#include "platform/config/scenario.hpp"
#include "platform/decisions/recording.hpp"
#include "platform/model/model_image.hpp"
#include "platform/workload/workload.hpp"

namespace levee {

/// What decides where a run's tables lie and what is asked of them: model, policy, workload and
/// memories, but nothing that only takes time. `model` and `workload` may be null.
[[nodiscard]] Fingerprint fingerprint_of(const SystemPlan& plan, const config::Scenario& scenario,
                                         const ModelImage* model, const PreparedWorkload* workload);

} // namespace levee
