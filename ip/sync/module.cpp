// SPDX-License-Identifier: Apache-2.0
#include "ip/sync/module.hpp"

#include "ip/sync/declaration.hpp"
#include "ip/sync/regs.h"

#include <stdexcept>
#include <string>

namespace levee::sync {

Sync::Sync(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), registers("registers"), counters_(config.counters)
{
    if (config.counters == 0 || config.counters > LEVEE_SYNC_MAX_COUNTERS)
        throw std::invalid_argument("sync: counters must be 1 to " +
                                    std::to_string(LEVEE_SYNC_MAX_COUNTERS));
    registers.register_b_transport(this, &Sync::transport);
    registers.register_transport_dbg(this, &Sync::transport_debug);
    describe_registers();
}

void Sync::describe_registers()
{
    const auto size = static_cast<std::uint32_t>(counters_.size());
    register_file_.add({"ID", LEVEE_SYNC_ID, [] { return declaration.number; }, {}});
    register_file_.add({"COUNTERS", LEVEE_SYNC_COUNTERS, [size] { return size; }, {}});
    register_file_.add({"IRQ_COUNTER", LEVEE_SYNC_IRQ_COUNTER, [this] { return compared_counter_; },
                        [this](std::uint32_t v) {
                            compared_counter_ = v;
                            update_interrupt();
                        }});
    register_file_.add({"IRQ_VALUE", LEVEE_SYNC_IRQ_VALUE, [this] { return compared_value_; },
                        [this](std::uint32_t v) {
                            compared_value_ = v;
                            update_interrupt();
                        }});
    register_file_.add({"IRQ_ENABLE", LEVEE_SYNC_IRQ_ENABLE,
                        [this] { return static_cast<std::uint32_t>(interrupt_enabled_); },
                        [this](std::uint32_t v) {
                            interrupt_enabled_ = (v & 1) != 0;
                            update_interrupt();
                        }});
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::string index = std::to_string(i);
        register_file_.add({"VALUE" + index, LEVEE_SYNC_VALUE(i), [this, i] { return value(i); },
                            [this, i](std::uint32_t v) { set(i, v); }});
        register_file_.add(
            {"ADD" + index, LEVEE_SYNC_ADD(i), {}, [this, i](std::uint32_t v) { add(i, v); }});
    }
}

void Sync::add(std::uint32_t counter, std::uint32_t amount)
{
    set(counter, counters_[counter].value + amount);
}

void Sync::set(std::uint32_t counter, std::uint32_t value)
{
    counters_[counter].value = value;
    counters_[counter].changed.notify(sc_core::SC_ZERO_TIME);
    for (const Observer& observer : observers_)
        observer(counter);
    if (counter == compared_counter_)
        update_interrupt();
}

void Sync::update_interrupt()
{
    const bool level =
        interrupt_enabled_ && has(compared_counter_) && reached(compared_counter_, compared_value_);
    if (level == interrupt_)
        return;
    interrupt_ = level;
    if (on_interrupt)
        on_interrupt(level);
}

void Sync::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    register_file_.transport(payload);
}

unsigned Sync::transport_debug(tlm::tlm_generic_payload& payload)
{
    return register_file_.transport_debug(payload);
}

} // namespace levee::sync
