// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/voting_engine/model.hpp"

#include <cstdint>
#include <memory>
#include <random>

namespace levee::test {

/// The inputs of a threshold.
struct Moments {
    std::uint32_t length = 1; ///< The length is at most 4096.
    float sum = 0;            ///< The sum of squares.
    voting_engine::Factors factors;
};

/// Returns random inputs. The sum of squares is 0, near its minimum 1 / length (or below it), or of
/// any size. Factors are 0, have few or many set bits, or bring a product near a rounding tie.
[[nodiscard]] Moments random_moments(std::mt19937_64& random);

/// The Verilated module voting_threshold alone.
class Threshold {
public:
    /// `mutant` selects a fault of mutate.py's list, if the module was built with faults.
    explicit Threshold(unsigned mutant = 0);
    ~Threshold();

    struct Result {
        std::uint32_t bits = 0;
        std::uint32_t cycles = 0; ///< Cycles from the start to the result; 0: never.
        friend bool operator==(const Result&, const Result&) = default;
    };
    [[nodiscard]] Result operator()(const Moments& moments);

private:
    struct Design;
    std::unique_ptr<Design> design_;
};

/// Computes the threshold by the reference.
[[nodiscard]] Threshold::Result reference(const Moments& moments);

} // namespace levee::test
