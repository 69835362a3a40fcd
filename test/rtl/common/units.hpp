// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace levee::test {

/// Results of the FP32 units of rtl/common for two operands.
struct UnitResults {
    std::uint32_t product = 0, quotient = 0, root = 0;
    std::uint32_t wide = 0; ///< The lower half of the first operand, as FP32.
    /// Cycles from taking the operands to the result.
    std::uint32_t quotient_cycles = 0, root_cycles = 0;

    friend bool operator==(const UnitResults&, const UnitResults&) = default;
};

/// The Verilated units, as an ordinary object.
class FloatUnits {
public:
    /// `mutant` selects a fault of mutate.py's list, if the units were built with faults.
    explicit FloatUnits(unsigned mutant = 0);
    ~FloatUnits();
    /// Resets the units `under_way` cycles after a start. Returns whether no result comes
    /// afterwards.
    [[nodiscard]] bool is_quiet_after_reset(unsigned under_way);
    /// Bit i of `stalls` stalls the i-th cycle after the start.
    [[nodiscard]] UnitResults operator()(std::uint32_t a, std::uint32_t b,
                                         std::uint32_t stalls = 0);

private:
    struct Design;
    std::unique_ptr<Design> design_;
};

/// Computes the results on the host.
[[nodiscard]] UnitResults units_reference(std::uint32_t a, std::uint32_t b);

/// Returns zeros, ones, the limits of the subnormal and normal numbers, infinities and NaNs, each
/// with both signs.
[[nodiscard]] std::vector<std::uint32_t> special_floats();
/// Returns small multiples of the smallest number, with divisors for which results have few bits or
/// are ties.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> subnormal_quotients();
/// Returns random bits, numbers with few set bits, subnormal numbers, or numbers with exponents at
/// which products and quotients leave the range.
[[nodiscard]] std::uint32_t random_float(std::mt19937_64& random);

} // namespace levee::test
