// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace levee::test {

/// The Verilated exponential, which takes one number per cycle.
class ExpUnit {
public:
    /// `mutant` selects a fault of mutate.py's list, if the unit was built with faults.
    explicit ExpUnit(unsigned mutant = 0);
    ~ExpUnit();
    /// Feeds the next number and returns the power of the fourth number before it. The unit is
    /// stalled for `stalls` cycles first.
    [[nodiscard]] std::uint32_t operator()(std::uint32_t x, unsigned stalls = 0);

private:
    struct Design;
    std::unique_ptr<Design> design_;
};

inline constexpr std::size_t exp_unit_stages = 4;

/// Returns numbers at the limits between ranges of results, zeros, NaN, infinities, and random
/// numbers of all sizes.
[[nodiscard]] std::vector<std::uint32_t> exp_questions(std::uint32_t seed, std::size_t count);
/// Computes exp as in docs/numerics.md.
[[nodiscard]] std::uint32_t exp_reference(std::uint32_t x);

} // namespace levee::test
