// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"
#include "ip/hostlink/regs.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee::sampling {

/// Simulated time in a phase, and the tokens that its passes generated.
struct PhaseFigures {
    std::uint64_t ps = 0;
    std::uint64_t tokens = 0;
};

using Phases = std::array<PhaseFigures, LEVEE_PHASE_DECODE + 1>;

/// The metrics that a program has reported, by name.
using Reported = std::map<std::string, std::variant<std::uint64_t, std::int64_t, double>>;

/// All figures of a run at one time.
struct Figures {
    Phases phases{};
    Reported reported;
    std::map<std::string, Stats::Value> sums, levels, times; ///< by FigureKind; the keys are
                                                             ///< "component.figure"
    /// Sums over time, by ledger and cell. Cells are only appended, so a cell keeps its index.
    std::vector<std::vector<std::uint64_t>> ledgers;

    void add(const std::string& component, const Stats& stats);
};

} // namespace levee::sampling
