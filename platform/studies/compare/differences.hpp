// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/results_folder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::compare {

struct Line {
    std::string name;
    std::vector<std::optional<double>> values; ///< per run; nothing if the run lacks the figure
    /// Per run: this line's difference from the first run, as a share of the difference of the
    /// totals; nothing if there is no total or no difference.
    std::vector<std::optional<double>> shares;
};

/// A total and its parts. Parts are sorted by how much they contribute to the difference of the
/// totals.
struct Division {
    std::string name;
    std::string unit;
    bool adds_up = true; ///< true: the total is the sum of the parts
    Line whole;
    std::vector<Line> parts; ///< only the parts that differ
};

/// A text, or a value of the scenario, in all runs.
struct TextLine {
    std::string name;
    std::vector<std::string> values; ///< per run; empty if the run lacks it
};

struct Comparison {
    std::vector<std::string> unlike; ///< reasons why figures cannot be compared directly
    std::vector<RunResults> runs;    ///< the first is the baseline
    std::vector<Line> headline;      ///< the main figures, shown first
    std::vector<TextLine> texts;     ///< all texts, including equal ones
    std::vector<Division> divisions;
    std::vector<TextLine> scenario; ///< only the keys that differ
    std::vector<Line> figures;      ///< all figures that differ, sorted by the relative difference
};

/// Compares two or more runs. If a run lacks a part, the part counts as 0. If it lacks the total,
/// there are no shares.
[[nodiscard]] Comparison compare(std::vector<RunResults> runs);

} // namespace levee::compare
