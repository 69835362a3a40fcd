// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/abi/model_image.h"
#include "core/component/component.hpp"
#include "ip/bus/module.hpp"
#include "ip/hostlink/module.hpp"
#include "ip/interleave/module.hpp"
#include "ip/riscv/clint.hpp"
#include "ip/riscv/core.hpp"
#include "ip/riscv/plic.hpp"
#include "ip/sram/module.hpp"
#include "ip/uart/module.hpp"
#include "platform/input/program/elf.hpp"
#include "platform/machine/assembly/cache_snoop.hpp"
#include "platform/machine/assembly/plan.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// A built system: all modules, constructed and connected according to a plan. A process can build
/// only one, since SystemC's elaboration runs only once.
class System {
public:
    /// `core` is the plan's configuration with the program's additions (reset_pc, tohost). Throws
    /// std::invalid_argument for errors that only the modules can detect. The objects behind
    /// `decisions` must outlive the simulation.
    System(const SystemPlan& plan, const riscv::CoreConfig& core, hostlink::Listener& listener,
           const Decisions& decisions = {});

    /// Loads a program into the core's memory. If a segment is not in any memory, throws an
    /// ElfError whose message calls the program `name`.
    void load(const ElfImage& program, const std::string& name);
    /// Loads bytes into the storage of a component of the plan. If the component is the first of
    /// several interleaved memories, the bytes go to their common range of addresses.
    void load(std::size_t component, std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void set_boot_info(const levee_boot_info& info);

    /// Bytes that were loaded into a component before the run.
    struct Loaded {
        std::size_t component;
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    [[nodiscard]] const std::vector<Loaded>& loaded() const { return loaded_; }

    /// The model's image in memory.
    struct PlacedModel {
        std::size_t component;
        std::uint64_t offset, bytes;
        std::vector<levee_tensor_entry> tensors; ///< with offsets in the image
    };
    /// `image` is the part of the image that is loaded, at least the header and the table of
    /// tensors.
    void load_model(std::size_t component, std::uint64_t offset,
                    std::span<const std::uint8_t> image, std::uint64_t bytes);
    /// Null if no model was loaded.
    [[nodiscard]] const PlacedModel* placed_model() const
    {
        return placed_model_ ? &*placed_model_ : nullptr;
    }

    [[nodiscard]] riscv::Core& core() { return core_; }
    [[nodiscard]] uart::Uart& uart() { return uart_; }
    /// The peripherals of every system: interrupt controllers, UART and host link.
    struct Peripheral {
        const char* name;
        std::uint32_t base;
        const RegisterFile* registers;
    };
    [[nodiscard]] std::array<Peripheral, 4> peripherals() const;
    [[nodiscard]] std::span<Component> components() { return components_; }
    [[nodiscard]] riscv::Plic& plic() { return plic_; }
    [[nodiscard]] bus::Bus& bus() { return bus_; }
    [[nodiscard]] FlowEngine& flows() { return flows_; }
    /// Returns the names of the bus's initiators by index.
    [[nodiscard]] const std::vector<std::string>& initiators() const { return initiators_; }

    /// Calls `observer` at every change of an interrupt request. Requests of components and of the
    /// UART are reported twice: as pending until they are claimed, and as claimed until they are
    /// completed. The CLINT's "timer" and "software" are pending while their line is high.
    using InterruptObserver =
        std::function<void(const std::string& source, riscv::Plic::Request request)>;
    void observe_interrupts(InterruptObserver observer);

    /// Calls visit(name, figures) for each component that reports figures.
    void report(const std::function<void(const std::string&, const Stats&)>& visit) const;

    /// Returns warnings about components' figures at the end of a run. Each begins with the
    /// component's name.
    [[nodiscard]] std::vector<std::string> caveats() const;

private:
    void attach(const std::string& name, std::uint64_t base, std::uint64_t size,
                TargetPort& target);
    void attach(const std::string& name, InitiatorPort& initiator);
    void attach_fixed();
    void make_components();
    void make_component(std::size_t index, Fabric* fabric);
    void attach_storage();
    void attach_registers();
    /// Connects the interleaved memories. Returns the target through which masters access their
    /// range.
    [[nodiscard]] TargetPort& make_interleave();
    void load_interleaved(std::uint64_t offset, std::span<const std::uint8_t> bytes);

    const SystemPlan& plan_;
    Decisions decisions_;
    FlowEngine flows_;
    StreamPorts streams_;
    bus::Bus bus_;
    riscv::Core core_;
    riscv::Clint clint_;
    riscv::Plic plic_;
    uart::Uart uart_;
    hostlink::Hostlink hostlink_;
    sram::Sram boot_page_;
    std::optional<CacheSnoop> snoop_; ///< keeps the data cache coherent; empty if software does so
    std::unique_ptr<interleave::Interleaver> interleave_; ///< null without interleaved memories
    std::vector<Loaded> loaded_;
    std::optional<PlacedModel> placed_model_;
    std::vector<Component> components_;
    std::optional<Fabric> fabric_;
    unsigned targets_ = 0;
    std::vector<std::string> initiators_;
    std::vector<InterruptObserver> interrupt_observers_;
};

/// Returns the boot information of a system. `free` has, for each memory, the offset of its first
/// unused byte. `kv_cache` has the fields that come from keys of `kv_cache:`.
[[nodiscard]] levee_boot_info make_boot_info(const SystemPlan& plan,
                                             std::span<const std::uint64_t> free,
                                             const levee_workload& workload,
                                             const levee_boot_info& kv_cache,
                                             const config::Scheduler& scheduler);
/// Sets the tokens that end a sequence, in addition to the workload's own; at most LEVEE_MAX_STOPS.
void set_stops(std::span<const std::uint32_t> tokens, levee_boot_info& info);
/// Returns boot information for the time before memories are filled; the workload is 0.
[[nodiscard]] levee_boot_info boot_info_ahead(const SystemPlan& plan,
                                              const config::Scenario& scenario);

} // namespace levee
