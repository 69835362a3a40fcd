// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include <cstdint>
#include <functional>

namespace levee {

/// Interface between the sync unit and a command queue. It models wires, not bus accesses.
class SyncCounters {
public:
    virtual ~SyncCounters() = default;

    [[nodiscard]] virtual bool has(std::uint32_t counter) const = 0;
    /// Whether counter - value, as a signed number, is at least 0. Correct even if the counter
    /// wraps around.
    [[nodiscard]] virtual bool reached(std::uint32_t counter, std::uint32_t value) const = 0;
    [[nodiscard]] virtual std::uint32_t value(std::uint32_t counter) const = 0;
    virtual void add(std::uint32_t counter, std::uint32_t amount) = 0;
    /// Notified whenever `counter` changes.
    [[nodiscard]] virtual sc_core::sc_event& changed(std::uint32_t counter) = 0;

    /// Called when a counter is written, by a block's signal or by the core.
    using Observer = std::function<void(std::uint32_t counter)>;
    virtual void observe(Observer observer) = 0;
};

} // namespace levee
