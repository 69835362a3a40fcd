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
#include "ip/stripe/module.hpp"
#include "ip/uart/module.hpp"
#include "platform/machine/assembly/plan.hpp"

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
    /// Puts bytes into a memory of the plan, or into the range of addresses that begins with it.
    void load(std::size_t memory, std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void set_boot_info(const levee_boot_info& info);

    /// What has been put into a memory before the run.
    struct Loaded {
        std::size_t memory; ///< index in the plan
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    [[nodiscard]] const std::vector<Loaded>& loaded() const { return loaded_; }

    [[nodiscard]] riscv::Core& core() { return core_; }
    [[nodiscard]] uart::Uart& uart() { return uart_; }
    [[nodiscard]] const riscv::Clint& clint() const { return clint_; }
    [[nodiscard]] const riscv::Plic& plic() const { return plic_; }
    [[nodiscard]] const hostlink::Hostlink& hostlink() const { return hostlink_; }
    [[nodiscard]] std::span<Block> blocks() { return blocks_; }
    [[nodiscard]] std::span<Memory> memories() { return memories_; }
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
    void make_memories();
    void make_stripe();
    void load_striped(std::uint64_t offset, std::span<const std::uint8_t> bytes);
    void make_blocks();
    void make_block(std::size_t index, Fabric* fabric);

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
    std::vector<Memory> memories_;
    std::unique_ptr<stripe::Stripe> stripe_; ///< null: none of them are
    std::vector<Loaded> loaded_;
    std::vector<Block> blocks_;
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
