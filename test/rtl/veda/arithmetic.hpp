// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace levee::test {

/// Inputs and results of the arithmetic. Narrow FP16 values are in the lower half.
struct Operands {
    std::uint16_t a = 0, b = 0;
    std::uint32_t x = 0, y = 0;
};
struct Results {
    std::uint32_t product = 0;      ///< The result of a * b.
    std::uint32_t multiply_add = 0; ///< The result of a * b + x.
    std::uint32_t sum = 0;          ///< The result of x + y.
    std::uint32_t narrow = 0;       ///< The operand x as FP16.

    friend bool operator==(const Results&, const Results&) = default;
};

/// Computes the results with the Verilated modules.
class Arithmetic {
public:
    /// `mutant` selects a fault of mutate.py's list, if the modules were built with faults.
    explicit Arithmetic(unsigned mutant = 0);
    ~Arithmetic();
    [[nodiscard]] Results operator()(const Operands& operands);

private:
    struct Design;
    std::unique_ptr<Design> design_;
};

/// Computes the results with the reference.
[[nodiscard]] Results reference(const Operands& operands);

/// Returns zeros, ones, the limits of the subnormal and normal numbers, infinities, and NaNs with
/// and without payload, each with both signs.
[[nodiscard]] std::vector<std::uint16_t> special_fp16();
[[nodiscard]] std::vector<std::uint32_t> special_fp32();

/// Returns random bits, or numbers that interact: with neighbouring exponents, few set bits, or
/// special values.
[[nodiscard]] Operands random_operands(std::mt19937_64& random);

} // namespace levee::test
