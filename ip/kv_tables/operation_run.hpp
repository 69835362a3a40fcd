// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/decision_writer.hpp"
#include "ip/kv_tables/drawn_decisions.hpp"
#include "ip/kv_tables/engine.hpp"
#include "ip/kv_tables/forgetting.hpp"
#include "ip/kv_tables/operands.hpp"
#include "ip/kv_tables/operation_size.hpp"
#include "ip/kv_tables/table_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::kv_tables {

/// Executes one operation. A timing-only run replays or draws decisions, and computes no
/// importance.
class OperationRun {
public:
    /// `engine` adds scores and searches for victims instead of the reference. `engine` may be
    /// null, and must be null for Ties::Earliest. `chain` is as in size_of().
    OperationRun(CommandQueue& queue, Engine* engine, std::uint32_t chain, Ties ties = Ties::Slot)
        : engine_(engine), chain_(chain), ties_(ties), queue_(queue), operands_(queue),
          drawn_(queue, operands_), tables_(queue, operands_), writer_(queue, operands_, drawn_),
          forgetting_(queue, operands_, drawn_)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills `operation`, except for the block's own time. Throws CommandFault.
    OperationSize prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] bool takes_stream() const { return operands_.scores_stream(); }

private:
    void compute();
    void accumulate_entry(std::uint32_t o0, Entry* entry);
    void evict_entry(std::uint32_t o0, Entry* entry);
    void select_entry(Entry& entry);
    [[nodiscard]] ScoreRows scores_of(std::size_t o0, std::size_t o1);

    Engine* engine_;
    std::uint32_t chain_;
    Ties ties_;
    CommandQueue& queue_;

    // State of the current operation.
    Operands operands_;
    DrawnDecisions drawn_;
    TableReader tables_;
    DecisionWriter writer_;
    Forgetting forgetting_;
    std::vector<Evicted> evicted_;
    std::vector<std::vector<float>> scores_; // Scores of an entry's heads, from memory.
};

} // namespace levee::kv_tables
