// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/decided.hpp"
#include "ip/kv_tables/drawn_decisions.hpp"
#include "ip/kv_tables/engine.hpp"
#include "ip/kv_tables/operands.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::kv_tables {

/// One operation in execution: the tables that it reads, computes and writes. A timing-only run
/// replays or draws decisions, and has no importance.
class OperationRun {
public:
    struct Size {
        std::uint64_t steps = 0;  ///< timing.hpp
        std::uint64_t scores = 0; ///< added
        std::uint64_t evicted = 0;
        std::uint64_t compared = 0;           ///< tokens examined by searches and selections
        std::uint64_t positions_compared = 0; ///< with their positions
    };

    /// `engine`: adds and searches instead of the reference; may be null, and must be for
    /// Ties::Earliest. `chain`: tokens whose importance is added to at the same time by ACCUMULATE.
    OperationRun(CommandQueue& queue, Engine* engine, std::uint32_t chain, Ties ties = Ties::Slot)
        : queue_(queue), engine_(engine), chain_(chain), ties_(ties), operands_(queue),
          drawn_(queue, operands_)
    {
    }
    OperationRun(const OperationRun&) = delete;
    OperationRun& operator=(const OperationRun&) = delete;

    /// Fills all of `operation` except its own pace. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] bool takes_stream() const { return operands_.scores_stream(); }

private:
    // operation_run.cpp
    [[nodiscard]] Size size() const;
    void compute();
    void accumulate_entry(std::uint32_t o0);
    void evict_entry(std::uint32_t o0);
    void select_entry(Entry& entry);
    [[nodiscard]] ScoreRows scores_of(std::size_t o0, std::size_t o1);
    Size prepare_forget(Operation& operation);
    void add_discards(std::size_t o0, std::size_t o1);

    // operation_tables.cpp
    void load_tables();
    void load_formats();
    template <typename Element>
    void load(const Table& table, auto elements, std::vector<Element> Head::*into);
    void load(const Table& table, std::size_t elements, std::vector<std::uint32_t> Formats::*into);
    void check_released();
    void commit(std::uint32_t first, std::uint32_t last);
    void decide(std::uint32_t first, std::uint32_t last);
    void decide_pair(std::uint32_t pair, Decision& decision) const;
    void decide_formats(std::uint32_t pair, Decision& decision) const;

    CommandQueue& queue_;
    Engine* engine_;
    std::uint32_t chain_;
    Ties ties_;

    // The running operation.
    Operands operands_;
    DrawnDecisions drawn_;
    std::vector<Entry> entries_; // none without payload
    std::vector<Evicted> evicted_;
    std::vector<std::vector<AccessPattern>> discarded_; // FORGET: per (o0, o1); all first if drawn
    std::vector<std::vector<float>> scores_;            // of an entry's heads, from memory
};

} // namespace levee::kv_tables
