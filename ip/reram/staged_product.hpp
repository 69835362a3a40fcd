// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/reram/vector_operands.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::reram {

/// Functional runs: sends vectors through the stages of an operation and writes the results.
class StagedProduct {
public:
    StagedProduct(Crossbars& crossbars, const StagedOperation& staged)
        : crossbars_(crossbars), staged_(staged)
    {
    }

    /// Appends the results of the vectors of one iteration (o0, o1).
    void multiply(std::uint32_t o0, std::uint32_t o1, const Vectors& vectors,
                  std::vector<std::uint8_t>& results);

private:
    float pass_stages(std::uint32_t o0, std::uint32_t o1, std::vector<std::int32_t> inputs,
                      float scale, std::vector<double>& sums);
    void pass_stage(std::size_t number, std::uint32_t o0, std::uint32_t o1,
                    std::span<const std::int32_t> inputs, std::span<double> sums);
    void append_results(const Vectors& vectors, float scale, std::span<const double> sums,
                        std::vector<std::uint8_t>& results) const;

    Crossbars& crossbars_;
    const StagedOperation& staged_;
};

} // namespace levee::reram
