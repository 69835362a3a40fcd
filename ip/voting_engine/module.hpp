// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/voting_engine/operation_run.hpp"
#include "ip/voting_engine/regs.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>

namespace levee::voting_engine {

struct Config {
    Clock clock;
    std::uint32_t capacity = 0; ///< Elements of the FIFO and of the vote buffer.
    CommandQueueConfig queue;
};

/// The voting engine: tokens vote on which token is evicted from the cache, by descriptors
/// (ip/voting_engine/README.md).
class VotingEngine : public sc_core::sc_module, private Executor {
public:
    /// `engine` votes and elects, and measures the cycles. Null selects the reference and the
    /// timing rule.
    VotingEngine(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
                 std::unique_ptr<Engine> engine = nullptr);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    std::unique_ptr<Engine> engine_;
    OperationRun run_;
    std::uint64_t elements_ = 0;
    std::uint64_t vectors_ = 0;
    std::uint64_t elected_ = 0;
    std::uint64_t cycles_ = 0;
};

} // namespace levee::voting_engine
