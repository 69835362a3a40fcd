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

/// Upper estimates of each figure's relative error (sampling/bound.hpp). There is no estimate if
/// too few samples lie between kinks (sampling/plan.hpp), or if no two consecutive parts were
/// simulated. Decode figures have none if rows are recomputed. Energy and refresh have none if
/// parts are shorter than a refresh interval, or if only some layers are simulated.
using SamplingErrors = std::map<std::string, std::optional<double>>;

/// Returns the bound of a figure's error, given how each variation of the samples changes the
/// figure.
using ErrorBound = std::function<double(std::span<const double>)>;

/// `varied` has the results under each variation of the samples. `between` says whether the time
/// between parts was measured.
[[nodiscard]] SamplingErrors sampling_errors(const sampling::Plan& plan, const ErrorBound& bound,
                                             const std::vector<Results>& varied,
                                             sampling::Between between, const Results& results);

/// Adds the group `sampling`: the simulated share of the run, and errors where the samples suffice
/// to estimate them. Removes text and tokens, since most of them were not generated.
void add_sampling(const sampling::Plan& plan, const SamplingErrors& errors, Results& results);

/// Returns the contents of sampling.csv: all figures, each with the upper estimate of its relative
/// error, or with an empty cell.
[[nodiscard]] std::string sampling_table(const SamplingErrors& errors, const Results& results);

} // namespace levee
