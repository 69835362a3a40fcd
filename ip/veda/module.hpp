// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/veda/core.hpp"
#include "ip/veda/gemv_run.hpp"
#include "ip/veda/regs.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>

namespace levee::veda {

struct Config {
    Clock clock;
    ArrayShape arrays;
    std::uint64_t buffer_bytes = 0; ///< Buffer for sums, and for pieces of B that several vectors
                                    ///< use.
    CommandQueueConfig queue;
    Dataflow dataflow = Dataflow::Flexible;
    bool transposes = true; ///< AdderTree: a B stored as [k][n] takes an extra pass.

    [[nodiscard]] Machine machine() const { return {arrays, buffer_bytes, dataflow, transposes}; }
};

/// VEDA's reconfigurable PE arrays: matrix-vector products by descriptors (ip/veda/README.md).
class Veda : public sc_core::sc_module, private Executor {
public:
    /// `core` performs the arithmetic; null selects the reference.
    Veda(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
         std::unique_ptr<Core> core = nullptr);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    std::unique_ptr<Core> core_;
    GemvRun run_;
    std::uint64_t macs_ = 0;
    std::uint64_t cycles_ = 0;
    std::uint64_t transposed_bytes_ = 0;
};

} // namespace levee::veda
