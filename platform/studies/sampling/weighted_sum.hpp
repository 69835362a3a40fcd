// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sampling/figures.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee::sampling {

/// Differences of figures, each times a whole number of quarters; counts exactly.
class WeightedSum {
public:
    /// Adds `quarters` / 4 times what came from `before` to `after`. Whole numbers that a program
    /// told are counts, too: one that is told once outside of parts, as most are, stays as it is.
    void add(const Figures& before, const Figures& after, std::uint64_t quarters);

    /// The sums, rounded to whole numbers where they count. `end`: what else a program told, and
    /// what goes with time, before it is stretched.
    [[nodiscard]] Figures figures(const Figures& end) const;

private:
    __extension__ typedef __int128 Int128;
    using Number = std::variant<Int128, double>;

    static void add(Number& sum, const Stats::Value& before, const Stats::Value& after,
                    std::uint64_t quarters);
    static std::uint64_t rounded(Int128 quarters);
    void add_told(const Figures& before, const Figures& after, std::uint64_t quarters);

    std::array<Int128, LEVEE_PHASE_DECODE + 1> ps_{}, tokens_{};
    std::map<std::string, Number> sums_;
    std::map<std::string, Int128> told_;
    std::vector<std::vector<Int128>> ledgers_;
    std::map<std::string, Stats::Value> levels_; ///< the most of any
};

} // namespace levee::sampling
