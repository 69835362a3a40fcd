// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "ip/reram/crossbars.hpp"
#include "ip/reram/declaration.hpp"
#include "ip/reram/stage_times.hpp"
#include "ip/reram/staged_operation.hpp"
#include "ip/reram/timing.hpp"
#include "ip/reram/vector_operands.hpp"

#include <systemc>
#include <tlm>

namespace levee::reram {

struct Config {
    ArrayConfig array;
    TimingConfig timing;
    std::uint32_t groups = 8; ///< Number of groups of units, for timelines and results.
    CommandQueueConfig queue;
};

/// ReRAM crossbars that store matrices and multiply by them (ReTransformer). `port` serves reads of
/// the stored data; commands in the queue program columns and multiply.
class Reram : public sc_core::sc_module, private Executor {
public:
    Reram(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;
    TargetSocket port;

    /// Stores bytes before the run, as if they had been programmed long ago.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    /// Returns the activity of the groups of units, operation by operation.
    [[nodiscard]] InnerSpans inside();
    void report(Stats& stats) const;

private:
    void describe_registers();
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;
    void product(const StagedOperation& staged, Operation& operation);
    void write(const StagedOperation& staged, Operation& operation);
    void write_columns(const StagedOperation& staged, std::uint32_t o0, std::uint32_t o1,
                       const Vectors& vectors);
    [[nodiscard]] Picoseconds start_of(const Operation& operation) const;

    Config config_;
    Crossbars crossbars_;
    StageTimes times_;
    VectorOperands operands_;
};

} // namespace levee::reram
