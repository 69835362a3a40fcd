// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/studies/sampling/sampler.hpp"

namespace levee::sampling {

/// Chooses what a scenario's `sampling:` leaves to be chosen: besides those spread over the run,
/// its first and last parts, and those where the cache is full and tokens begin to leave. Throws
/// config::Error at the key at fault, also for a workload that cannot be sampled: it takes one
/// batch of prompts of one length, which are prefilled in chunks of a known size and then continued
/// to their full length.
[[nodiscard]] Plan make_plan(const config::SamplingConfig& config, const config::Scenario& scenario,
                             const PreparedWorkload& prepared);

/// The lists for the firmware.
void tell(const Plan& plan, PreparedWorkload& prepared);

} // namespace levee::sampling
