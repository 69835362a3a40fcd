// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/sfu/model.hpp"
#include "ip/sfu/vector_operation.hpp"

#include <cstdint>
#include <vector>

namespace levee::sfu {

/// ROUTE in execution. Its results is a decision: timing-only runs replay or draw it.
class RouteRun {
public:
    explicit RouteRun(CommandQueue& queue) : queue_(queue) {}

    /// Checks the operation, adds its streams, and says how to write its results. Throws
    /// CommandFault.
    void prepare(const VectorOperation& operation, Operation& filled);

private:
    void check() const;
    void choose_all();
    void draw_all();
    [[nodiscard]] Decision decided();

    CommandQueue& queue_;
    VectorOperation op_;
    std::vector<Choice> choices_; ///< [rows][seed]
    std::vector<float> scores_, bias_;
    std::uint64_t drawn_ = 0; ///< random words
};

/// COMBINE in execution: the rows that a vector is the sum of.
class CombineRun {
public:
    explicit CombineRun(CommandQueue& queue) : queue_(queue) {}

    /// Checks the operation and adds the streams that are not a vector's.
    void open(const VectorOperation& operation, Operation& filled);
    /// Row `row` of the sum, with the row of y that is added, if any is; functional runs.
    void sum(std::uint32_t row, std::span<const float> y, std::span<float> out) const;

private:
    CommandQueue& queue_;
    VectorOperation op_;
    std::vector<float> x_; ///< Elements of all rows.
    std::vector<levee_sfu_choice> choices_;
    std::vector<float> gates_; ///< gates of y's rows
};

} // namespace levee::sfu
