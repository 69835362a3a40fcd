// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/dma/regs.h"

#include <systemc>

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::dma {

struct Config {
    Clock clock;
    std::uint32_t bytes_per_cycle = 0; ///< Bytes that the engine moves per cycle.
    CommandQueueConfig queue;
};

/// Copies and fills memory by descriptors.
class Dma : public sc_core::sc_module, private Executor {
public:
    Dma(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    void open(const levee_dma_operation& copy, Operation& operation);
    void open_likely(const levee_dma_operation& copy, Operation& operation);
    void list_runs(const levee_dma_operation& copy);
    void prepare_rows(const levee_dma_operation& copy, Operation& operation);
    void prepare_loops(const levee_dma_operation& copy, Operation& operation);
    void prepare_end(const levee_dma_operation& copy, const AccessPattern& source);
    void write_loops(std::uint32_t first, std::uint32_t last);
    void write_rows(std::uint32_t first, std::uint32_t last);

    Config config_;

    // State of the current operation.
    bool is_fill_ = false;
    bool control_ = false;      // The bytes are control words, which timing-only runs also need.
    bool moves_ = true;         // False: accesses take time but carry no data.
    std::uint64_t passing_ = 0; // Bytes that the current operation moves.
    AccessPattern loops_;       // Destination, for copies without tables.
    AccessPattern end_;         // Last bytes of a long control copy. Runs from statistics copy only
                                // these.
    RowList from_, to_;
    std::vector<std::size_t> first_run_; // For each iteration of the outermost loop: its first run.
                                         // The last element is the number of runs.
    std::vector<std::uint32_t> source_words_, destination_words_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t bytes_ = 0;
};

} // namespace levee::dma
