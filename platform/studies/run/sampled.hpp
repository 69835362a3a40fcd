// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"
#include "platform/studies/sampling/sampler.hpp"

#include <string>

namespace levee {

/// Adds the group `sampling`: how much of the run was simulated, and estimates of the errors where
/// samples could be left out. `half`: the figures extrapolated from half of the samples. Removes
/// text and tokens, most of which the run has not generated.
void add_sampling(const sampling::Plan& plan, const Results& half, Results& results);

/// sampling.csv: all figures, each with its estimated relative error, or a blank where no sample
/// could be left out.
[[nodiscard]] std::string sampling_table(const sampling::Plan& plan, const Results& half,
                                         const Results& results);

} // namespace levee
