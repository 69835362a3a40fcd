// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/compare/results_folder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::compare {

/// A figure of all runs.
struct Line {
    std::string name;
    std::vector<std::optional<double>> values; ///< Values by run; empty: the run lacks the figure.
    /// Difference of each run from the first, as a share of the whole's difference; empty: there is
    /// no whole, or no difference.
    std::vector<std::optional<double>> shares;
};

/// A whole and its parts, sorted by their share in its difference.
struct Division {
    std::string name; ///< "time by phase"
    std::string unit;
    bool adds_up = true; ///< the parts' sum is the whole
    Line whole;
    std::vector<Line> parts; ///< parts that differ
};

/// A text, or a key of the scenario, that differs.
struct TextLine {
    std::string name;
    std::vector<std::string> values; ///< Values by run; empty: the run has none.
};

struct Comparison {
    std::vector<std::string> unlike; ///< why figures are not like for like
    std::vector<RunResults> runs;    ///< the first is the baseline
    std::vector<Line> headline;      ///< the figures that an answer begins with
    std::vector<TextLine> texts;     ///< All texts, also equal ones.
    std::vector<Division> divisions; ///< divisions of time and energy
    std::vector<TextLine> scenario;  ///< keys that differ
    std::vector<Line> figures;       ///< All figures that differ, the largest relative difference
                                     ///< first.
};

/// Compares two or more runs. A missing part of a division counts as 0; if the whole is missing,
/// there are no shares.
[[nodiscard]] Comparison compare(std::vector<RunResults> runs);

} // namespace levee::compare
