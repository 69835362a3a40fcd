// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/sampling/figures.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee::sampling {

/// Weight of a difference between figures in a sum.
struct Weight {
    std::int64_t quarters = 4;
    std::int64_t times = LEVEE_MARK_ONCE; ///< a further factor, in units of 1/LEVEE_MARK_ONCE
    bool with_tokens = true;
};

/// A sum of weighted differences between figures. Weights are whole multiples of 1/`unit`, so that
/// counts stay exact.
class WeightedSum {
public:
    /// Adds the difference between `before` and `after`. If a part is simulated several times, its
    /// tokens appear only once, so `times` does not apply to tokens. Whole numbers that the program
    /// reports count like other figures. A number that is reported outside of parts keeps its
    /// value.
    void add(const Figures& before, const Figures& after, const Weight& weight);

    [[nodiscard]] WeightedSum operator+(const WeightedSum& other) const;

    /// Returns the sums, with counts rounded to whole numbers. `end` has the figures at the run's
    /// end, which supply the metrics that are not sums and those that grow with time.
    [[nodiscard]] Figures figures(const Figures& end) const;

private:
    __extension__ typedef __int128 Int128;
    using Number = std::variant<Int128, double>;

    static constexpr std::int64_t unit = std::int64_t{4} * LEVEE_MARK_ONCE;

    static void add(Number& sum, const Stats::Value& before, const Stats::Value& after,
                    std::int64_t units);
    static std::uint64_t rounded(Int128 units);
    void add_reported(const Figures& before, const Figures& after, std::int64_t units);

    std::array<Int128, LEVEE_PHASE_DECODE + 1> ps_{}, tokens_{};
    std::map<std::string, Number> sums_;
    std::map<std::string, Int128> reported_;
    std::vector<std::vector<Int128>> ledgers_;
    std::map<std::string, Stats::Value> levels_; ///< the greatest so far
};

} // namespace levee::sampling
