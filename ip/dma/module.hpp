#pragma once

#include "ip/common/clock.hpp"
#include "ip/common/command_queue.hpp"
#include "ip/dma/regs.h"

#include <systemc>

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::dma {

struct Config {
    Clock clock;
    std::uint32_t bytes_per_cycle = 0; ///< the engine's own width
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

    /// As the tables say: the runs that are not left out.
    void list_runs(const levee_dma_operation& copy);
    void prepare_rows(bool is_fill, const levee_dma_operation& copy, Operation& operation);
    void prepare_loops(bool is_fill, const levee_dma_operation& copy, Operation& operation);

    Config config_;
    RowList from_, to_;
    std::vector<std::size_t>
        first_run_; // of each iteration of the outermost loop, and their number
    std::vector<std::uint8_t> buffer_;
    std::uint64_t bytes_ = 0;
};

} // namespace levee::dma
