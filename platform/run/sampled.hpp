// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"
#include "platform/run/sampling/sampler.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// Upper estimates of how far each figure is off, relative to it (sampling/bound.hpp); none where
/// no sample could be left out, nor where no two parts that follow each other were done, nor for
/// decoding where rows are recomputed, nor for energy and refreshes where parts of the run are
/// shorter than an interval of refresh.
using SamplingErrors = std::map<std::string, std::optional<double>>;

/// The bound of a figure's error, from how much each variation of the samples changes it.
using ErrorBound = std::function<double(std::span<const double>)>;

/// `varied`: what figures come to in each variation of the samples. `between`: which of what lies
/// between parts was measured.
[[nodiscard]] SamplingErrors sampling_errors(const sampling::Plan& plan, const ErrorBound& bound,
                                             const std::vector<Results>& varied,
                                             sampling::Between between, const Results& results);

/// Adds the group `sampling`: the simulated share of the run, and errors if the samples give them.
/// Removes text and tokens, since the run has not generated most of them.
void add_sampling(const sampling::Plan& plan, const SamplingErrors& errors, Results& results);

/// sampling.csv: all figures, each with the upper estimate of its relative error, or a blank.
[[nodiscard]] std::string sampling_table(const SamplingErrors& errors, const Results& results);

} // namespace levee
