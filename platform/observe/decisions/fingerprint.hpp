// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/program/elf.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/decisions/recording.hpp"

namespace levee {

/// Returns the fingerprint of everything on which decisions and their addresses depend: model,
/// policy, workload, program and memories, but not timing. `model` and `workload` may be null. A
/// shipped program is identified by its name, and `own_program` is then null. A user's program is
/// identified by its bytes.
[[nodiscard]] Fingerprint fingerprint_of(const SystemPlan& plan, const config::Scenario& scenario,
                                         const ModelImage* model, const PreparedWorkload* workload,
                                         const ElfImage* own_program);

} // namespace levee
