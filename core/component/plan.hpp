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
    CommandQueueConfig queue; ///< Queue of this component, with the system's times.
    Implementation implementation = Implementation::Tlm; ///< Implementation of this component.
    /// All components of the system, for a component that refers to others.
    std::span<const config::Component> blocks;
};

/// Address range that the address map uses for a component's storage.
enum class MemoryPlace { TightlyCoupled, OnChip, OffChip };

/// Properties that the platform and firmware need to place data in a component.
struct Placement {
    MemoryPlace place = MemoryPlace::OnChip;
    std::uint64_t size_bytes = 0;       ///< Size of the data.
    std::uint64_t installed_bytes = 0;  ///< Installed bytes, if there are fewer of them than
                                        ///< addresses; otherwise 0.
    std::uint64_t mapped_bytes = 0;     ///< Mapped bytes, including registers or tables after the
                                        ///< data; 0: none.
    std::uint64_t bytes_per_second = 0; ///< Peak rate.
    std::uint32_t ports = 1;            ///< Number of ports that share the bandwidth; used only for
                                        ///< prices.
    /// False: only the initial contents and the queue's writes are stored.
    bool written_by_address = true;
    /// Firmware can program the erased pages after the initial contents
    /// (firmware/target/pages.h).
    bool programmed = false;
    /// The core's caches may hold its bytes: bytes stay as written, and a line can be read or
    /// written as one access.
    bool cacheable = false;
    /// Keys occupy one half of the storage and values the other; each half is filled from its first
    /// byte. Nothing else is placed there.
    bool halved = false;
    /// The stored bytes decay and need refresh, so a conversation's cache cannot be saved there.
    bool refreshed = false;

    [[nodiscard]] std::uint64_t mapped() const { return std::max(size_bytes, mapped_bytes); }
};

/// Space for copies of experts, in a memory other than the one with the role `experts`.
struct ExpertCopies {
    std::string memory; ///< Name of the memory.
    std::uint64_t bytes = 0;
    config::Place memory_place, bytes_place; ///< Places of both keys in the scenario.
};

/// Information for a component's caveats, in addition to its own keys.
struct CaveatInputs {
    /// Boot information as firmware gets it, except that addresses are 0.
    const levee_boot_info& boot_info;
    bool stores_inputs;        ///< The policy stores some tokens as layer inputs.
    const std::string& name;   ///< Name of the component.
    std::uint32_t roles;       ///< Roles of the component.
    std::uint32_t most_tokens; ///< Final number of tokens of a sequence; 0: unknown.
    bool has_prices;           ///< Energy is counted.
    /// Longest pause for which a conversation's cache is kept.
    std::uint64_t longest_pause_ps;
    std::filesystem::path technology; ///< Folder of the shipped technology data.
};

/// Plan of a component: its configuration, its properties, and how it is constructed.
struct ComponentPlan {
    std::vector<Parameter> parameters;
    Placement placement;        ///< Placement, for a type with storage.
    bool has_rtl = false;       ///< The component can run RTL, as ComponentDefaults::implementation
                                ///< selects.
    bool has_rtl_cycle = false; ///< Whether RTL of this type can also be clocked in simulated time
                                ///< (Implementation::RtlCycle).
    /// The component's operations depend on a sequence's final number of tokens, so a prefill
    /// changes with the number of tokens that are decoded later.
    bool knows_final_length = false;
    /// Its queue copies bytes from memory to memory (firmware/target/copies.h).
    bool copies_bytes = false;
    std::string shares;                ///< component whose execution units it uses; empty: it has
                                       ///< its own
    std::uint64_t macs_per_second = 0; ///< peak multiply-accumulates of its own units
    /// Largest number of terms in a sum of its products; 0: any number.
    std::uint32_t most_inner = 0;
    std::uint64_t load_bytes_per_second = 0; ///< Highest rate at which the arrays load their
                                             ///< stationary operand.
    /// Places a model's matrices in the storage with the role `weights`, in the component's own
    /// format, and passes their data (if any) to the sink. Null: the type has no format of its own.
    /// Throws config::Error if matrices do not fit.
    std::function<KeptMatrices(std::span<const ModelMatrix>, const StorageSink&)> keep;
    /// Cost of overwriting the component's contents with the matrices. The sink, if not null,
    /// receives all bytes written for matrices with data. Null: the cost is unknown. Throws as
    /// `keep` does.
    std::function<Intake(std::span<const ModelMatrix>, const RawSink&)> take_in;
    /// For a component that caches experts from the memory with the role `experts`. Operations then
    /// read experts at the component's address range, which is as large as that memory. Empty for
    /// other components.
    std::optional<ExpertCopies> copies;
    CommandPricing price_commands; ///< Prices from a datasheet; null: none.
    /// Checks, before a run, that the component supports the information for firmware, which is
    /// complete except for addresses and the workload. `name` is the component's name. Null: no
    /// check. Throws config::Error.
    std::function<void(const std::string& name, const levee_boot_info&)> check;
    /// Caveats about the component's figures. Each is a sentence without its subject, which is the
    /// component's name: "is refreshed every ...". Null: none. Throws config::Error.
    std::function<std::vector<std::string>(const CaveatInputs&)> caveats;
    std::function<Component(const std::string& name, const ComponentContext&)> make;
};

/// Reads the clock of a component (`clock:`); the default is the system's clock.
[[nodiscard]] Clock read_clock(config::MapReader& reader, const ComponentDefaults& defaults);

/// Returns the queue configuration of a component for this choice of timing.
[[nodiscard]] CommandQueueConfig queue_of(const CommandQueueConfig& system, TakesTime takes);

} // namespace levee
