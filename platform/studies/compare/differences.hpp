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
    std::vector<std::optional<double>> values; ///< by run; none: the run has no such figure
    /// By run: its difference from the first run's, as a share of the whole's; none: no whole, or
    /// one that does not differ.
    std::vector<std::optional<double>> shares;
};

/// A whole and the parts that it divides into, those that explain most of its difference first.
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
    std::vector<std::string> values; ///< by run; empty: it has none
};

struct Comparison {
    std::vector<std::string> unlike; ///< why figures are not like for like
    std::vector<RunResults> runs;    ///< the first is the baseline
    std::vector<Line> headline;      ///< the figures that an answer begins with
    std::vector<TextLine> texts;     ///< all, also equal ones
    std::vector<Division> divisions; ///< divisions of time and energy
    std::vector<TextLine> scenario;  ///< keys that differ
    std::vector<Line> figures;       ///< all that differ, the largest relative difference first
};

/// Compares two runs or more. The parts of a division that a run lacks count as 0, but where it
/// lacks the whole nothing is a share of it.
[[nodiscard]] Comparison compare(std::vector<RunResults> runs);

} // namespace levee::compare
