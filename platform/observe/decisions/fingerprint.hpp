// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/decisions/recording.hpp"

namespace levee {

/// Fingerprint of everything that determines the placement and the inputs of a run's tables: model,
/// policy, workload, program and memories, but not of timing. `model` and `workload` may be null.
/// `own_program`: null for a shipped program, which is identified by its name; a user's program is
/// identified by its bytes.
[[nodiscard]] Fingerprint fingerprint_of(const SystemPlan& plan, const config::Scenario& scenario,
                                         const ModelImage* model, const PreparedWorkload* workload,
                                         const riscv::ElfImage* own_program);

} // namespace levee
