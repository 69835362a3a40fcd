// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/stats.hpp"
#include "ip/hostlink/regs.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee::sampling {

/// Simulated time in a phase, and tokens generated in it.
struct PhaseFigures {
    std::uint64_t ps = 0;
    std::uint64_t tokens = 0;
};

using Phases = std::array<PhaseFigures, LEVEE_PHASE_DECODE + 1>;

/// What a program told: `name = value`.
using Told = std::map<std::string, std::variant<std::uint64_t, std::int64_t, double>>;

/// All that a run is measured by, as it stands at one time.
struct Figures {
    Phases phases{};
    Told told;
    std::map<std::string, Stats::Value> sums, levels, times; ///< by FigureKind: "component.figure"
    /// Sums over time, cell by cell; a later one has the same cells in front.
    std::vector<std::vector<std::uint64_t>> ledgers;

    void add(const std::string& component, const Stats& stats);
};

} // namespace levee::sampling
