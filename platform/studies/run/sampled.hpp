// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"
#include "platform/studies/sampling/sampler.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// The most by which each figure may be off, relative to it (sampling/bound.hpp); none where no
/// sample could be left out, nor for energy and refreshes where parts of the run are shorter than
/// an interval of refresh.
using SamplingErrors = std::map<std::string, std::optional<double>>;

/// The bound of a figure's error, from how much each variation of the samples changes it.
using ErrorBound = std::function<double(std::span<const double>)>;

/// `varied`: what figures come to in each variation of the samples.
[[nodiscard]] SamplingErrors sampling_errors(const sampling::Plan& plan, const ErrorBound& bound,
                                             const std::vector<Results>& varied,
                                             const Results& results);

/// Adds the group `sampling`: how much of the run was simulated, and bounds of the errors where
/// samples could be left out. Removes text and tokens, most of which the run has not generated.
void add_sampling(const sampling::Plan& plan, const SamplingErrors& errors, Results& results);

/// sampling.csv: all figures, each with the bound of its relative error, or a blank.
[[nodiscard]] std::string sampling_table(const SamplingErrors& errors, const Results& results);

} // namespace levee
