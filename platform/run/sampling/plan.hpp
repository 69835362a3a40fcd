// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/workload/workload.hpp"
#include "platform/run/sampling/sampler.hpp"

namespace levee::sampling {

/// The plan for a scenario's `sampling:`. Parts that it does not list are chosen: the first and the
/// last, those where the cache is full and eviction begins or `window` tokens have come, which some
/// layers keep alone (0: none do), and others spread over the run. Throws
/// config::Error at the key at fault, also for a workload that cannot be sampled: sampling needs
/// one batch of prompts of one length, prefilled in chunks of a known size and then continued to
/// their full length.
[[nodiscard]] Plan make_plan(const config::SamplingConfig& config, const config::Scenario& scenario,
                             const PreparedWorkload& prepared, std::uint32_t window = 0);

/// Writes the lists of samples into the workload, for the firmware.
void list_samples(const Plan& plan, PreparedWorkload& prepared);

} // namespace levee::sampling
