// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/sfu/model.hpp"
#include "ip/sfu/vector_operation.hpp"

#include <cstdint>
#include <vector>

namespace levee::sfu {

/// Executes ROUTE. Its result is a decision, so timing-only runs replay or draw it.
class RouteRun {
public:
    explicit RouteRun(CommandQueue& queue) : queue_(queue) {}

    /// Checks the operation, adds its streams, and sets how its results are written. Throws
    /// CommandFault.
    void prepare(const VectorOperation& operation, Operation& filled);

private:
    void check() const;
    void choose_all();
    void draw_all();
    [[nodiscard]] Decision decided();

    CommandQueue& queue_;
    VectorOperation op_;
    std::vector<Choice> choices_; ///< Choices by row, the largest first: [rows][seed].
    std::vector<float> scores_, bias_;
    std::uint64_t drawn_ = 0; ///< Number of random words drawn.
};

/// Executes COMBINE, where each vector is a sum of rows.
class CombineRun {
public:
    explicit CombineRun(CommandQueue& queue) : queue_(queue) {}

    /// Checks the operation and adds the streams of operands that vectors share.
    void open(const VectorOperation& operation, Operation& filled);
    /// Computes row `row` of the sum, including the row of y if there is one; functional runs only.
    void sum(std::uint32_t row, std::span<const float> y, std::span<float> out) const;

private:
    CommandQueue& queue_;
    VectorOperation op_;
    std::vector<float> x_; ///< Elements of all rows.
    std::vector<levee_sfu_choice> choices_;
    std::vector<float> gates_; ///< Gates of the rows of y.
};

} // namespace levee::sfu
