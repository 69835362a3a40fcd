// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"
#include "platform/studies/sampling/sampler.hpp"

#include <string>

namespace levee {

/// Adds `sampling.`: how much of the run was done, and estimates of errors, by `half`, the figures
/// as they come of half of the samples. Text and tokens go: most of them have not been made.
void add_sampling(const sampling::Plan& plan, const Results& half, Results& results);

/// sampling.csv: all figures, each with the estimate of its error relative to it.
[[nodiscard]] std::string sampling_table(const Results& half, const Results& results);

} // namespace levee
