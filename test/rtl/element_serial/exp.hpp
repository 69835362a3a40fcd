// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace levee::test {

/// The Verilated exponential: powers of one number after the other, one a cycle.
class ExpUnit {
public:
    /// `mutant`: the fault of mutate.py's list that it has, where it was made with faults.
    explicit ExpUnit(unsigned mutant = 0);
    ~ExpUnit();
    /// The next number goes in, and the power of the fourth before it comes out. `stalls`: cycles
    /// in which nothing may move, before.
    [[nodiscard]] std::uint32_t operator()(std::uint32_t x, unsigned stalls = 0);

private:
    struct Design;
    std::unique_ptr<Design> design_;
};

inline constexpr std::size_t exp_unit_stages = 4;

/// Ends of the ranges of results, zeroes, NaN, infinities, and random numbers of all sizes.
[[nodiscard]] std::vector<std::uint32_t> exp_questions(std::uint32_t seed, std::size_t count);
/// exp as in docs/numerics.md.
[[nodiscard]] std::uint32_t exp_reference(std::uint32_t x);

} // namespace levee::test
