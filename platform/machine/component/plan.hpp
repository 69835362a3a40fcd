// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/clock.hpp"
#include "ip/common/command_queue.hpp"
#include "ip/common/declaration.hpp"
#include "platform/input/config/reader.hpp"
#include "platform/input/config/scenario.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

struct Component;
struct Surroundings;

/// A parameter as `describe` shows it.
using Parameter = std::pair<std::string, std::string>;

/// What does a component's work: `impl:` of it.
enum class Implementation {
    Tlm,     ///< its reference
    Rtl,     ///< its Verilated design
    Lockstep ///< both, compared
};

/// What a system gives components that do not state their own.
struct ComponentDefaults {
    Clock clock;
    CommandQueueConfig queue;
    config::TimingConfig timing;
    Implementation implementation = Implementation::Tlm; ///< of this component
    std::span<const config::Component> blocks; ///< the system's, for those that refer to others
};

/// Where the address map puts what a component stores.
enum class MemoryPlace { TightlyCoupled, OnChip, OffChip };

/// What the platform and firmware ask of a component before they put data into it.
struct Placement {
    MemoryPlace place = MemoryPlace::OnChip;
    std::uint64_t size_bytes = 0;       ///< of the data
    std::uint64_t installed_bytes = 0;  ///< of them, where there are fewer than addresses; else 0
    std::uint64_t mapped_bytes = 0;     ///< with what lies behind them; 0: nothing does
    std::uint64_t bytes_per_second = 0; ///< peak

    [[nodiscard]] std::uint64_t mapped() const { return std::max(size_bytes, mapped_bytes); }
};

/// A component's configuration, read: how to make it and what to say of it.
struct ComponentPlan {
    std::vector<Parameter> parameters;
    Placement placement;               ///< of a type that stores
    bool has_rtl = false;              ///< honours ComponentDefaults::implementation
    std::string shares;                ///< the component whose units it works on; empty: its own
    std::uint64_t macs_per_second = 0; ///< multiply-accumulates at its peak, of units of its own
    std::function<Component(const std::string& name, const Surroundings&)> make;
};

/// `clock:` of a component, by default the system's.
[[nodiscard]] Clock read_clock(config::MapReader& reader, const ComponentDefaults& defaults);

/// The queue of a component whose operations take time or, all of them, none.
[[nodiscard]] CommandQueueConfig queue_of(const ComponentDefaults& defaults, bool takes_time);

} // namespace levee
