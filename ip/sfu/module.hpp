// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/sfu/regs.h"
#include "ip/sfu/routes.hpp"
#include "ip/sfu/vector_run.hpp"

#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace levee::sfu {

struct Config {
    Clock clock;
    std::uint32_t lanes = 0;           ///< Elements per cycle.
    std::uint32_t pipeline_cycles = 0; ///< Cycles from an element to its result; counted once per
                                       ///< operation.
    CommandQueueConfig queue;
};

class Sfu : public sc_core::sc_module, private Executor {
public:
    Sfu(const sc_core::sc_module_name& name, const Config& config, Fabric fabric);

    CommandQueue queue;

    /// Sets `observer`, which is called with each vector of ARGMAX, SAMPLE and LOG_PROB, in order.
    void on_logits(std::function<void(std::span<const float>)> observer)
    {
        run_.on_logits = std::move(observer);
    }

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    VectorRun run_;
    RouteRun routes_;
    std::uint64_t elements_ = 0;
    std::uint64_t cycles_ = 0;
};

} // namespace levee::sfu
