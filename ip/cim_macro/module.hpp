// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/units/clock.hpp"
#include "ip/cim_macro/engine.hpp"
#include "ip/cim_macro/regs.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <vector>

namespace levee::cim_macro {

struct Config {
    Clock clock;
    Shape shape;
    CommandQueueConfig queue;
};

/// A macro with a command queue: resident weights, products with vectors (ip/cim_macro/README.md).
class CimMacro : public sc_core::sc_module, private Executor {
public:
    /// `engine` multiplies; null selects the reference.
    CimMacro(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
             std::unique_ptr<Engine> engine = nullptr);

    CommandQueue queue;

    void report(Stats& stats) const;

private:
    void prepare(const levee_descriptor& descriptor, Operation& operation) override;
    void check(std::uint8_t opcode) const;
    void load(Operation& operation);
    void multiply(Operation& operation);
    [[nodiscard]] std::vector<std::vector<std::int16_t>> read_vectors();
    [[nodiscard]] std::vector<std::int32_t>
    products_of(const std::vector<std::vector<std::int16_t>>& vectors);
    [[nodiscard]] AccessPattern in(std::uint64_t rows, std::uint64_t row_bytes) const;
    [[nodiscard]] AccessPattern out(std::uint32_t first, std::uint32_t last) const;

    Config config_;
    std::unique_ptr<Engine> engine_;
    std::vector<std::int8_t> weights_; ///< [input][output]
    bool is_loaded_ = false;
    levee_cim_macro_operation op_{};
    std::uint64_t vectors_ = 0, macs_ = 0, cycles_ = 0;
};

} // namespace levee::cim_macro
