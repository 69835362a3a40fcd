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
    std::uint32_t bytes_per_cycle = 0; ///< width of the engine
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
    [[nodiscard]] bool is_statistical() const;
    void open_likely(const levee_dma_operation& copy, Operation& operation);
    void list_runs(const levee_dma_operation& copy);
    void prepare_rows(const levee_dma_operation& copy, Operation& operation);
    void prepare_loops(const levee_dma_operation& copy, Operation& operation);
    void prepare_end(const levee_dma_operation& copy, const AccessPattern& source);
    void write_loops(std::uint32_t first, std::uint32_t last);
    void write_rows(std::uint32_t first, std::uint32_t last);

    Config config_;

    // The running operation.
    bool is_fill_ = false;
    bool control_ = false;      // the bytes are control words, which timing-only runs need
    bool moves_ = true;         // moves bytes; false: only makes the accesses
    std::uint64_t passing_ = 0; // bytes
    AccessPattern loops_;       // destination, without tables
    AccessPattern end_;         // end of the destination, whose bytes are moved even so
    RowList from_, to_;
    std::vector<std::size_t>
        first_run_; // first run of each iteration of the outermost loop, and the number of runs
    std::vector<std::uint32_t> source_words_, destination_words_;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t bytes_ = 0;
};

} // namespace levee::dma
