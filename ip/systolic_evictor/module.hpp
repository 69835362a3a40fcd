// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/kv_tables/operation_run.hpp"
#include "ip/systolic_evictor/engine.hpp"
#include "ip/systolic_evictor/regs.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>

namespace levee::systolic_evictor {

struct Config {
    Clock clock;
    std::uint32_t rows = 0; ///< Importance registers of a tile, for LEVEE_SE_ROWS.
    std::uint32_t scores_per_cycle = 1;
    CommandQueueConfig queue;
    kv_tables::Ties ties = kv_tables::Ties::Slot;
};

/// The systolic evictor: chooses the token to evict from the cache, by descriptors
/// (ip/systolic_evictor/README.md).
class SystolicEvictor : public sc_core::sc_module, private Executor {
public:
    /// `engine` executes ACCUMULATE and EVICT and measures their cycles; scores_per_cycle must then
    /// be 1. Null selects the reference and the timing rule.
    SystolicEvictor(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
                    std::unique_ptr<Engine> engine = nullptr);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    std::unique_ptr<Engine> engine_;
    kv_tables::OperationRun run_;
    std::uint64_t scores_ = 0;
    std::uint64_t evicted_ = 0;
    std::uint64_t cycles_ = 0;
};

} // namespace levee::systolic_evictor
