// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "ip/common/boot_info.h"
#include "ip/hostlink/module.hpp"
#include "ip/riscv/clint.hpp"
#include "ip/riscv/core.hpp"
#include "ip/riscv/elf.hpp"
#include "ip/riscv/plic.hpp"
#include "ip/sram/module.hpp"
#include "ip/uart/module.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/machine/component/component.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// The built system: modules made and connected as a plan says. One per process, as SystemC
/// elaborates once.
class System {
public:
    /// `core`: the plan's, with what the program adds (reset_pc, tohost). Throws
    /// std::invalid_argument for what only the modules themselves can refuse. What `decisions`
    /// points to outlives the simulation.
    System(const SystemPlan& plan, const riscv::CoreConfig& core, hostlink::Listener& listener,
           const Decisions& decisions = {});

    /// Puts a program into the core's memory. Throws riscv::ElfError, naming `name`, for a segment
    /// that lies in none.
    void load(const riscv::ElfImage& program, const std::string& name);
    /// Puts bytes into what a component of the plan stores.
    void load(std::size_t component, std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void set_boot_info(const levee_boot_info& info);

    /// What has been put into a component before the run.
    struct Loaded {
        std::size_t component; ///< index in the plan
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    [[nodiscard]] const std::vector<Loaded>& loaded() const { return loaded_; }

    [[nodiscard]] riscv::Core& core() { return core_; }
    [[nodiscard]] uart::Uart& uart() { return uart_; }
    /// The peripherals that every system has: interrupt controllers, UART and host link.
    struct Peripheral {
        const char* name;
        std::uint32_t base;
        const RegisterFile* registers;
    };
    [[nodiscard]] std::array<Peripheral, 4> peripherals() const;
    /// In the order of the plan's.
    [[nodiscard]] std::span<Component> components() { return components_; }
    [[nodiscard]] bus::Bus& bus() { return bus_; }
    [[nodiscard]] FlowEngine& flows() { return flows_; }
    /// Names of the bus's initiators, by their index there.
    [[nodiscard]] const std::vector<std::string>& initiators() const { return initiators_; }

    /// Calls visit(name, figures) for each component that counts.
    void report(const std::function<void(const std::string&, const Stats&)>& visit) const;

private:
    void attach(const std::string& name, std::uint64_t base, std::uint64_t size,
                tlm::tlm_target_socket<>& target);
    void attach(const std::string& name, tlm::tlm_initiator_socket<>& initiator);
    void attach_fixed();
    void make_components();
    void make_component(std::size_t index, Fabric* fabric);
    void attach_storage();
    void attach_registers();

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
    std::vector<Loaded> loaded_;
    std::vector<Component> components_;
    std::optional<Fabric> fabric_;
    unsigned targets_ = 0;
    std::vector<std::string> initiators_;
};

/// What firmware is told of a system. `free` is, for each memory, the offset of the first byte the
/// platform has not used.
[[nodiscard]] levee_boot_info make_boot_info(const SystemPlan& plan,
                                             std::span<const std::uint64_t> free,
                                             const levee_workload& workload,
                                             const levee_kv_policy& kv,
                                             const std::string& scheduler);

} // namespace levee
