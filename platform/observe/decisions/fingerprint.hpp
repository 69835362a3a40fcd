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
/// policy, workload, program and memories, but nothing that affects time only. `model` and
/// `workload` may be null, and `own_program` is for a program that Levee ships, which is known by
/// its name; of the user's, the bytes count.
[[nodiscard]] Fingerprint fingerprint_of(const SystemPlan& plan, const config::Scenario& scenario,
                                         const ModelImage* model, const PreparedWorkload* workload,
                                         const riscv::ElfImage* own_program);

} // namespace levee
