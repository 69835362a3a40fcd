// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/cpq/operation_run.hpp"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>

namespace levee::cpq {

struct Config {
    Clock clock;
    Units units;
    std::uint64_t sz_bytes = 0; ///< Size of the scale-zero buffer.
    std::optional<Expected> expected;
    std::optional<double> calibrate; ///< Fraction of values to prune, for which the run reports
                                     ///< thresholds.
    CommandQueueConfig queue;
};

/// Block that compresses and decompresses keys and values (ip/cpq/regs.h).
class Cpq : public sc_core::sc_module, private Executor {
public:
    /// `engine` prunes and quantises instead of the reference; may be null.
    Cpq(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
        std::unique_ptr<Engine> engine = nullptr);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    std::unique_ptr<Engine> engine_;
    OperationRun run_;
    Totals totals_;
};

} // namespace levee::cpq
