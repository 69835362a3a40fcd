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

/// Upper estimates of each figure's relative error (sampling/bound.hpp). There is no estimate if no
/// sample could be left out or no two consecutive parts were simulated; for decoding, if rows are
/// recomputed; and for energy and refresh, if parts are shorter than a refresh interval.
using SamplingErrors = std::map<std::string, std::optional<double>>;

/// The bound of a figure's error, from how much each variation of the samples changes it.
using ErrorBound = std::function<double(std::span<const double>)>;

/// `varied`: figures under each variation of the samples. `between`: whether the time between parts
/// was measured.
[[nodiscard]] SamplingErrors sampling_errors(const sampling::Plan& plan, const ErrorBound& bound,
                                             const std::vector<Results>& varied,
                                             sampling::Between between, const Results& results);

/// Adds the group `sampling`: the simulated share of the run, and errors if the samples give them.
/// Removes text and tokens, since most were not generated.
void add_sampling(const sampling::Plan& plan, const SamplingErrors& errors, Results& results);

/// sampling.csv: all figures, each with the upper estimate of its relative error, or a blank.
[[nodiscard]] std::string sampling_table(const SamplingErrors& errors, const Results& results);

} // namespace levee
