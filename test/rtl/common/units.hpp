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
    std::uint32_t wide = 0; ///< the lower half of the first operand, as FP32
    /// Cycles from taking the operands to having the result.
    std::uint32_t quotient_cycles = 0, root_cycles = 0;

    friend bool operator==(const UnitResults&, const UnitResults&) = default;
};

/// The Verilated units.
class FloatUnits {
public:
    /// `mutant`: the fault of mutate.py's list that they have, where they were made with faults.
    explicit FloatUnits(unsigned mutant = 0);
    ~FloatUnits();
    /// Resets them, `under_way` cycles after a start; whether they then give nothing.
    [[nodiscard]] bool is_quiet_after_reset(unsigned under_way);
    /// `stalls`: cycles in which nothing may move, bit i for the i-th after the start.
    [[nodiscard]] UnitResults operator()(std::uint32_t a, std::uint32_t b,
                                         std::uint32_t stalls = 0);

private:
    struct Design;
    std::unique_ptr<Design> design_;
};

/// Results computed by the host.
[[nodiscard]] UnitResults units_reference(std::uint32_t a, std::uint32_t b);

/// Zeroes, ones, the ends of the subnormal and normal numbers, infinities, NaNs, each with both
/// signs.
[[nodiscard]] std::vector<std::uint32_t> special_floats();
/// Small multiples of the least number, and what they are divided by: results are few bits, or
/// ties.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> subnormal_quotients();
/// Any bits, numbers with few bits set, subnormal, of exponents where products and quotients end.
[[nodiscard]] std::uint32_t random_float(std::mt19937_64& random);

} // namespace levee::test
