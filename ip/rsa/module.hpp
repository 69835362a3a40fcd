// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/rsa/engine.hpp"
#include "ip/rsa/gemm_run.hpp"
#include "ip/rsa/regs.h"
#include "ip/rsa/timing.hpp"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace levee::rsa {

struct Config {
    Clock clock;
    ArrayShape array;
    /// Counts one pass for every product, as the papers do, instead of one for each pair of bytes.
    /// This affects times, but not computed values.
    bool single_pass = false;
    CommandQueueConfig queue;
};

/// Reconfigurable systolic array: matrix products by descriptors (ip/rsa/README.md).
class Rsa : public sc_core::sc_module, private Executor {
public:
    /// `engine` computes the sums of functional runs; null selects the reference.
    Rsa(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
        std::unique_ptr<Engine> engine = nullptr);

    CommandQueue queue;

    /// Makes this block use the array of `other`, which must have the same configuration.
    /// Concurrent operations share the array's time. The engine of `other` also computes this
    /// block's products. `other` must outlive the simulation.
    void share_array(Rsa& other);

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    /// The array's processing elements, if several queues share them.
    class Array : public FlowResource {
    public:
        explicit Array(const std::string& owner)
            : FlowResource({FlowAccount::Kind::Units, owner}, owner + ".array")
        {
        }
        void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
                   std::span<double> ps_per_byte) override;
    };

    Config config_;
    std::unique_ptr<Engine> engine_;
    Array array_;
    GemmRun run_;
    std::uint64_t macs_ = 0;
    std::uint64_t passes_ = 0;
    std::uint64_t folds_ = 0;
    std::uint64_t cycles_ = 0;
    std::uint64_t load_cycles_ = 0;
};

} // namespace levee::rsa
