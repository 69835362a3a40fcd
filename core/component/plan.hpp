// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/command/command_queue.hpp"
#include "core/command/declaration.hpp"
#include "core/command/intake.hpp"
#include "core/component/entry.hpp"
#include "core/component/event_price.hpp"
#include "core/component/implementation.hpp"
#include "core/component/parameter.hpp"
#include "core/component/takes_time.hpp"
#include "core/config/reader.hpp"
#include "core/memory/model_matrix.hpp"
#include "core/units/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

struct Component;
struct ComponentContext;

/// Defaults of a system for components that do not override them.
struct ComponentDefaults {
    Clock clock;
    CommandQueueConfig queue; ///< queue of this component, with the system's times
    Implementation implementation = Implementation::Tlm; ///< implementation of this component
    /// All components of the system, for a component that refers to others.
    std::span<const config::Component> blocks;
};

/// Address range that the address map assigns to a component's storage.
enum class MemoryPlace { TightlyCoupled, OnChip, OffChip };

/// Properties of a component that the platform and firmware need to place data in it.
struct Placement {
    MemoryPlace place = MemoryPlace::OnChip;
    std::uint64_t size_bytes = 0;       ///< size of the data
    std::uint64_t installed_bytes = 0;  ///< Installed bytes, if fewer than the addresses; otherwise
                                        ///< 0.
    std::uint64_t mapped_bytes = 0;     ///< Mapped bytes, including registers or tables after the
                                        ///< data; 0: none.
    std::uint64_t bytes_per_second = 0; ///< peak
    std::uint32_t ports = 1;            ///< Number of ports that make up the bandwidth; only prices
                                        ///< depend on it.
    /// False: only the initial contents and the queues' writes are stored.
    bool written_by_address = true;
    /// Firmware can program pages behind the initial contents (firmware/target/pages.h).
    bool programmed = false;
    /// The core's caches may hold its bytes: they stay as written, and a line can be read or
    /// written as one access.
    bool cacheable = false;
    /// Keys and values have one half each, from its first byte on; nothing else is placed there.
    bool halved = false;

    [[nodiscard]] std::uint64_t mapped() const { return std::max(size_bytes, mapped_bytes); }
};

/// Room for copies of experts in a memory other than the one with their role.
struct ExpertCopies {
    std::string memory; ///< Name of the memory.
    std::uint64_t bytes = 0;
    config::Place memory_place, bytes_place; ///< Places of both keys in the scenario.
};

/// The inputs of a component's caveats other than its own keys.
struct CaveatInputs {
    /// Boot information as firmware gets it, except that addresses are 0.
    const levee_boot_info& boot_info;
    bool stores_inputs;        ///< the policy keeps tokens as inputs of their layer
    const std::string& name;   ///< the component's
    std::uint32_t roles;       ///< the component's
    std::uint32_t most_tokens; ///< number of tokens of a sequence at its end; 0: not known
    bool has_prices;           ///< energy is counted
    /// The longest pause during which a conversation's cache is kept.
    std::uint64_t longest_pause_ps;
    std::filesystem::path technology; ///< folder of the shipped technology data
};

/// Plan of a component: its configuration as read, its properties, and its construction.
struct ComponentPlan {
    std::vector<Parameter> parameters;
    Placement placement;        ///< placement of a type with storage
    bool has_rtl = false;       ///< honours ComponentDefaults::implementation
    bool has_rtl_cycle = false; ///< Whether RTL of this type can also be clocked in simulated time
                                ///< (Implementation::RtlCycle).
    /// Its operations depend on the final number of tokens, so a prefill changes if more tokens are
    /// decoded.
    bool knows_final_length = false;
    std::string shares;                ///< component whose execution units it uses; empty: its own
    std::uint64_t macs_per_second = 0; ///< peak multiply-accumulates of its own units
    /// Largest number of terms in a sum of its products; 0: any number.
    std::uint32_t most_inner = 0;
    std::uint64_t load_bytes_per_second = 0; ///< Highest rate at which the arrays load the operand
                                             ///< that they keep.
    /// Lays out a model's matrices in the storage with the role `weights`, in the component's own
    /// format, and passes their data (if any) to the sink. Null: the type has no format of its own.
    /// Throws config::Error for matrices that do not fit.
    std::function<KeptMatrices(std::span<const ModelMatrix>, const StorageSink&)> keep;
    /// The cost of writing the matrices into the component, over its old contents. The sink, unless
    /// it is null, gets all bytes written for matrices with data. Null: the type cannot tell.
    /// Throws as `keep`.
    std::function<Intake(std::span<const ModelMatrix>, const RawSink&)> take_in;
    /// Set for a component that caches experts: it sits in front of the memory with the role
    /// `experts`. Readers address it instead, in a range of the same size. Empty for other
    /// components.
    std::optional<ExpertCopies> copies;
    CommandPricing price_commands; ///< Prices from a datasheet; null: the type has none.
    /// Checks, before a run, that the component is compatible with the information for firmware,
    /// which is complete except for addresses and the workload. `name`: the component's. Null: no
    /// check. Throws config::Error.
    std::function<void(const std::string& name, const levee_boot_info&)> check;
    /// Caveats about the component's figures: sentences without their subject, which is the
    /// component's name ("is refreshed every ..."). Null: none. Throws config::Error.
    std::function<std::vector<std::string>(const CaveatInputs&)> caveats;
    std::function<Component(const std::string& name, const ComponentContext&)> make;
};

/// Clock of a component (`clock:`), by default the system's.
[[nodiscard]] Clock read_clock(config::MapReader& reader, const ComponentDefaults& defaults);

/// Queue configuration of a component with this timing.
[[nodiscard]] CommandQueueConfig queue_of(const CommandQueueConfig& system, TakesTime takes);

} // namespace levee
