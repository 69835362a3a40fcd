// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/run/sampling/sampler.hpp"

namespace levee::sampling {

/// Returns the plan for a scenario's `sampling:`. If it does not list parts, they are chosen: the
/// first and the last, those at kinks, and others spread over the run. There is a kink where the
/// cache is full and eviction begins. If some layers only keep a window, there is another after
/// `window` tokens (0: no layer does). Throws config::Error, at the wrong key or for a workload
/// that cannot be sampled. A sampled workload is one batch of prompts of equal length, prefilled in
/// chunks of known size and then continued to the full length.
[[nodiscard]] Plan make_plan(const config::SamplingConfig& config, const config::Scenario& scenario,
                             const PreparedWorkload& prepared, std::uint32_t window = 0);

/// Writes the list of samples into the workload for the firmware.
void list_samples(const Plan& plan, PreparedWorkload& prepared);

} // namespace levee::sampling
