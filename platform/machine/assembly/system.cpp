// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/system.hpp"

#include <array>
#include <cstdio>

namespace levee {

namespace {

bus::Config bus_config(const config::BusConfig& config)
{
    return {config.latency_ps, config.port_bytes_per_second};
}

std::vector<StreamPortConfig> stream_configs(const std::vector<config::StreamConfig>& streams)
{
    std::vector<StreamPortConfig> configs;
    for (const config::StreamConfig& stream : streams)
        configs.push_back({stream.name, stream.bytes_per_second, stream.fill_ps});
    return configs;
}

/// The boot page is read at the speed of the bus.
sram::Config boot_page_config(const config::BusConfig& bus)
{
    sram::Config config;
    config.size_bytes = LEVEE_BOOT_INFO_BYTES;
    config.bytes_per_second = bus.port_bytes_per_second;
    config.allow_dmi = true;
    config.read_only = true;
    return config;
}

std::string hexadecimal(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

} // namespace

System::System(const SystemPlan& plan, const riscv::CoreConfig& core, hostlink::Listener& listener,
               const Decisions& decisions)
    : plan_(plan), decisions_(decisions), flows_("flows"),
      streams_(stream_configs(plan.config.streams)), bus_("bus", bus_config(plan.config.bus)),
      core_("core", core), clint_("clint", plan.config.timebase_hz), plic_("plic"), uart_("uart"),
      hostlink_("hostlink", listener), boot_page_("boot_page", boot_page_config(plan.config.bus))
{
    attach("core", core_.bus);
    attach("hostlink", hostlink_.memory);
    clint_.connect(core_);
    plic_.connect(core_);
    core_.set_time_source(&clint_);
    uart_.irq = [this](bool level) { plic_.set_source(LEVEE_UART_IRQ, level); };
    attach_fixed();
    make_memories();
    make_blocks();
}

void System::attach(const std::string& name, std::uint64_t base, std::uint64_t size,
                    tlm::tlm_target_socket<>& target)
{
    bus_.targets.bind(target);
    bus_.map({name, base, size, targets_++, 0});
}

void System::attach(const std::string& name, tlm::tlm_initiator_socket<>& initiator)
{
    initiator.bind(bus_.initiators);
    initiators_.push_back(name);
}

void System::attach_fixed()
{
    attach("boot_info", LEVEE_BOOT_INFO_ADDRESS, LEVEE_BOOT_INFO_BYTES, boot_page_.port);
    attach("clint", LEVEE_CLINT_BASE, riscv::clint_register::bytes, clint_.socket);
    attach("plic", LEVEE_PLIC_BASE, riscv::plic_register::bytes, plic_.socket);
    attach("uart", LEVEE_UART_BASE, register_page_bytes, uart_.socket);
    attach("hostlink", LEVEE_HOSTLINK_BASE, register_page_bytes, hostlink_.socket);
}

void System::make_memories()
{
    for (std::size_t i = 0; i < plan_.memories.size(); ++i) {
        const PlannedMemory& planned = plan_.memories[i];
        memories_.push_back(planned.plan.make(planned.name, plan_.config.seed));
        if (plan_.ways_at(i) != 1)
            continue;
        attach(planned.name, planned.base, planned.plan.mapped(), *memories_.back().port);
        if (planned.core_size != 0 && planned.core_base != planned.base)
            bus_.map({planned.name + " (core's window)", planned.core_base, planned.core_size,
                      targets_ - 1, 0});
    }
    if (plan_.stripe)
        make_stripe();
}

void System::make_blocks()
{
    blocks_.resize(plan_.blocks.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (plan_.blocks[i].type->id == LEVEE_BLOCK_SYNC)
            make_block(i, nullptr);
    for (const Block& block : blocks_)
        if (block.counters)
            fabric_.emplace(
                Fabric{flows_, *block.counters, streams_, plan_.config.data, decisions_});
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (!blocks_[i].module)
            make_block(i, &*fabric_);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        for (std::size_t owner = 0; owner < blocks_.size(); ++owner)
            if (plan_.blocks[owner].name == plan_.blocks[i].plan.shares)
                blocks_[i].share(*blocks_[owner].module);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        attach(plan_.blocks[i].name, plan_.blocks[i].base, register_page_bytes,
               *blocks_[i].registers);
    for (std::size_t i = 0; i < memories_.size(); ++i) {
        const PlannedMemory& memory = plan_.memories[i];
        if (memory.registers != 0)
            attach(memory.name + " (registers)", memory.registers, register_page_bytes,
                   *memories_[i].registers);
        if (memories_[i].flow_observer != nullptr)
            flows_.observe(*memories_[i].flow_observer);
    }
}

void System::make_block(std::size_t index, Fabric* fabric)
{
    const PlannedBlock& planned = plan_.blocks[index];
    Block& block = blocks_[index] = planned.plan.make(planned.name, fabric);
    if (block.memory)
        attach(planned.name, *block.memory);
    if (block.on_interrupt)
        *block.on_interrupt = [this, irq = planned.irq](bool level) {
            plic_.set_source(irq, level);
        };
}

void System::load(std::size_t memory, std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    if (plan_.ways_at(memory) > 1)
        load_striped(offset, bytes);
    else
        memories_[memory].load(offset, bytes);
    loaded_.push_back({memory, offset, bytes.size()});
}

void System::load(const riscv::ElfImage& program, const std::string& name)
{
    for (const riscv::ElfSegment& segment : program.segments) {
        bool placed = false;
        for (std::size_t i = 0; i < memories_.size() && !placed; ++i) {
            const PlannedMemory& memory = plan_.memories[i];
            const std::uint64_t offset = std::uint64_t{segment.address} - memory.core_base;
            if (segment.address < memory.core_base || offset > memory.core_size ||
                segment.memory_bytes > memory.core_size - offset)
                continue;
            load(i, offset, segment.data);
            placed = true;
        }
        if (!placed)
            throw riscv::ElfError(
                name + ": the segment at " + hexadecimal(segment.address) + " of " +
                std::to_string(segment.memory_bytes) +
                " bytes does not lie in a memory of this system; expected it in [" +
                hexadecimal(LEVEE_TCM_BASE) + ", " +
                hexadecimal(LEVEE_TCM_BASE +
                            std::uint64_t{plan_.memory_for(LEVEE_ROLE_CODE)->core_size}) +
                ")");
    }
}

void System::set_boot_info(const levee_boot_info& info)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&info);
    boot_page_.load(0, {bytes, sizeof info});
}

void System::report(const std::function<void(const std::string&, const Stats&)>& visit) const
{
    Stats core;
    core.add("instructions", core_.instructions());
    core.add("cycles", core_.cycles());
    visit("core", core);
    for (std::size_t i = 0; i < memories_.size(); ++i) {
        Stats stats;
        memories_[i].report(stats);
        visit(plan_.memories[i].name, stats);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (blocks_[i].report) {
            Stats stats;
            blocks_[i].report(stats);
            visit(plan_.blocks[i].name, stats);
        }
}

} // namespace levee
