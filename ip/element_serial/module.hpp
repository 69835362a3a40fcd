// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/element_serial/core.hpp"
#include "ip/element_serial/vector_run.hpp"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace levee::element_serial {

struct Config {
    Clock clock;
    std::uint32_t tile = 0; ///< Elements of the FIFO.
    CommandQueueConfig queue;
};

/// VEDA's element-serial function unit: softmax and norms in two operations each, one element per
/// cycle (ip/element_serial/README.md).
class ElementSerial : public sc_core::sc_module, private Executor {
public:
    /// `core` performs the arithmetic; null selects the reference.
    ElementSerial(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
                  std::unique_ptr<Core> core = nullptr);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    [[nodiscard]] std::optional<unsigned> operand_of(std::uint32_t field) const override;

    Config config_;
    std::unique_ptr<Core> core_;
    VectorRun run_;
    std::uint64_t elements_ = 0;
    std::uint64_t cycles_ = 0;
};

} // namespace levee::element_serial
