// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/sfu/routes.hpp"
#include "ip/sfu/vector_inputs.hpp"
#include "ip/sfu/vector_operation.hpp"
#include "ip/sfu/vector_results.hpp"
#include "ip/sfu/vector_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee::sfu {

/// Executes one operation of the function unit: applies its function to its vectors.
class VectorRun {
public:
    explicit VectorRun(CommandQueue& queue)
        : queue_(queue), tables_(queue, op_), inputs_(queue, op_, tables_),
          results_(queue, op_, tables_), combined_(queue)
    {
    }

    std::function<void(std::span<const float>)> on_logits;

    /// Fills `filled`, except for the unit's own time and its counted work. The opcode must be
    /// valid. Throws CommandFault.
    void prepare(const VectorOperation& operation, Operation& filled);

    [[nodiscard]] const Overflows& overflows() const { return results_.overflows(); }

private:
    void run_groups();
    void compute(const Group& group, std::uint32_t row, std::size_t vector);
    void compute_function(const Group& group, std::uint32_t row, std::size_t vector,
                          std::span<const float> x);
    void compute_softmax(std::span<const float> x, Seen seen, const Group& group,
                         std::size_t vector);
    void normalise(std::span<const float> x, Seen seen, std::size_t vector,
                   std::span<const float> factors);
    [[nodiscard]] std::span<const float> capped(std::span<const float> x);
    [[nodiscard]] levee_sfu_pick pick(std::span<const float> x, const Group& group,
                                      std::size_t vector) const;

    CommandQueue& queue_;
    VectorOperation op_;
    VectorTables tables_;
    VectorInputs inputs_;
    VectorResults results_;
    CombineRun combined_;
    std::vector<float> result_; // Result of a vector.
};

} // namespace levee::sfu
