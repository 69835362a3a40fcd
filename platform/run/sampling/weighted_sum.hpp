// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/sampling/figures.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace levee::sampling {

/// Weight of a difference of figures in a sum.
struct Weight {
    std::int64_t quarters = 4;
    std::int64_t times = LEVEE_MARK_ONCE; ///< Weight of each quarter, in 1/LEVEE_MARK_ONCE.
    bool with_tokens = true;
};

/// A sum of differences of figures, each weighted by a whole number of units of one over `unit`, so
/// that counts stay exact.
class WeightedSum {
public:
    /// Adds the difference from `before` to `after`. Tokens of a part that runs several times
    /// appear in only one of these runs, so `times` does not apply to them. Whole numbers that a
    /// program reports are counts, too; one that is reported once outside of parts keeps its value.
    void add(const Figures& before, const Figures& after, const Weight& weight);

    [[nodiscard]] WeightedSum operator+(const WeightedSum& other) const;

    /// The sums; counts are rounded to whole numbers. `end`: figures at the run's end, for other
    /// metrics and for those that grow with time.
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
    std::map<std::string, Stats::Value> levels_; ///< the greatest seen
};

} // namespace levee::sampling
