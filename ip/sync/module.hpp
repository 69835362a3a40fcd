// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/register_file.hpp"
#include "core/command/sync_counters.hpp"
#include "core/flow/sockets.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace levee::sync {

struct Config {
    std::uint32_t counters = 0; ///< Number of counters, 1 to LEVEE_SYNC_MAX_COUNTERS.
};

/// Counters that synchronise blocks, and a comparator that interrupts the core. The queues of
/// blocks access the counters directly, not over the bus.
class Sync : public sc_core::sc_module, public SyncCounters {
public:
    TargetSocket registers;
    /// Called when the interrupt output changes.
    std::function<void(bool)> on_interrupt;

    Sync(const sc_core::sc_module_name& name, const Config& config);

    [[nodiscard]] std::uint32_t value(std::uint32_t counter) const override
    {
        return counters_[counter].value;
    }
    [[nodiscard]] bool has(std::uint32_t counter) const override
    {
        return counter < counters_.size();
    }
    [[nodiscard]] bool reached(std::uint32_t counter, std::uint32_t value) const override
    {
        return static_cast<std::int32_t>(counters_[counter].value - value) >= 0;
    }
    void add(std::uint32_t counter, std::uint32_t amount) override;
    [[nodiscard]] sc_core::sc_event& changed(std::uint32_t counter) override
    {
        return counters_[counter].changed;
    }
    void observe(Observer observer) override { observers_.push_back(std::move(observer)); }

    [[nodiscard]] const RegisterFile& register_file() const { return register_file_; }

private:
    struct Counter {
        std::uint32_t value = 0;
        sc_core::sc_event changed;
    };

    void describe_registers();
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);
    void set(std::uint32_t counter, std::uint32_t value);
    void update_interrupt();

    std::deque<Counter> counters_;
    std::vector<Observer> observers_;
    RegisterFile register_file_;
    std::uint32_t compared_counter_ = 0;
    std::uint32_t compared_value_ = 0;
    bool interrupt_enabled_ = false;
    bool interrupt_ = false;
};

} // namespace levee::sync
