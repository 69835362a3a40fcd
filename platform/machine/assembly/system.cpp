// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/system.hpp"

#include "ip/sync/regs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

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

/// Returns the configuration of the boot page's memory, which is as fast as a bus port.
sram::Config boot_page_config(const config::BusConfig& bus)
{
    sram::Config config;
    config.size_bytes = LEVEE_BOOT_INFO_BYTES;
    config.bytes_per_second = bus.port_bytes_per_second;
    config.allow_dmi = true;
    config.read_only = true;
    return config;
}

/// Returns a memory's caveat. If the caveat recommends an override, the same override is added for
/// all memories that are interleaved with it, since their configurations must be equal.
std::string for_all_interleaved(std::string text, const SystemPlan& plan, std::size_t memory)
{
    if (!plan.interleave || std::ranges::count(plan.interleave->memories, memory) == 0)
        return text;
    const auto mark_of = [&](std::size_t way) {
        return "--set system.memories." + plan.components[way].name + ".";
    };
    const std::string mark = mark_of(memory);
    const std::size_t at = text.find(mark);
    if (at == std::string::npos)
        return text;
    const std::size_t begin = at + mark.size();
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string others;
    for (const std::size_t way : plan.interleave->memories)
        if (way != memory)
            others += " " + mark_of(way) + text.substr(begin, end - begin);
    return text.insert(end, others);
}

void add_cache(Stats& stats, const std::string& name, const riscv::CacheCounts& counts)
{
    stats.add(name + "hits", counts.accesses - counts.misses);
    stats.add(name + "misses", counts.misses);
    stats.add(name + "filled_bytes", counts.filled_bytes);
}

std::string hexadecimal(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

/// Constructs the component. Converts an exception of its constructor to a config::Error at the
/// component's place in the scenario.
Component made(const PlannedComponent& planned, const ComponentContext& around)
{
    try {
        return planned.plan.make(planned.name, around);
    } catch (const config::Error&) {
        throw;
    } catch (const std::exception& error) {
        throw config::Error(planned.place, "'" + planned.name + "' of type '" +
                                               planned.type->name() +
                                               "' cannot be made: " + error.what());
    }
}

/// Throws config::Error unless the component has every part that its declaration and plan promise.
/// The platform uses these parts without further checks.
void check_facets(const PlannedComponent& planned, const Component& component)
{
    const auto need = [&](bool is_needed, bool is_made, const std::string& what_is_wrong) {
        if (is_needed && !is_made)
            throw config::Error(planned.place, "'" + planned.name + "' of type '" +
                                                   planned.type->name() + "' " + what_is_wrong);
    };
    need(true, component.module != nullptr, "has constructed no module");
    need(planned.stores(), component.storage != nullptr,
         "declares storage, but has constructed none");
    need(planned.stores(), component.load != nullptr,
         "declares storage, but has set no function 'load'");
    need(planned.plan.copies.has_value(), component.hold_experts != nullptr,
         "plans copies of experts, but has set no function 'hold_experts'");
    need(planned.registers != 0, component.registers != nullptr,
         "declares registers, but has constructed none");
    need(planned.declaration().operation_bytes != 0, component.queue != nullptr,
         "declares a command queue, but has constructed none");
    need(!planned.plan.shares.empty(), component.share != nullptr,
         "shares '" + planned.plan.shares + "', but has set no function 'share'");
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
    if (core.dcache && core.dcache->snooped)
        bus_.set_snooper(snoop_.emplace(plan, core_, 0));
    attach("hostlink", hostlink_.memory);
    clint_.connect(core_);
    plic_.connect(core_);
    core_.set_time_source(&clint_);
    uart_.irq = [this](bool level) { plic_.set_source(LEVEE_UART_IRQ, level); };
    attach_fixed();
    make_components();
    attach_storage();
    attach_registers();
}

void System::attach(const std::string& name, std::uint64_t base, std::uint64_t size,
                    TargetPort& target)
{
    bus_.targets.bind(target);
    bus_.map({name, base, size, targets_++, 0});
}

void System::attach(const std::string& name, InitiatorPort& initiator)
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

std::array<System::Peripheral, 4> System::peripherals() const
{
    return {{{"clint", LEVEE_CLINT_BASE, &clint_.register_file()},
             {"plic", LEVEE_PLIC_BASE, &plic_.register_file()},
             {"uart", LEVEE_UART_BASE, &uart_.register_file()},
             {"hostlink", LEVEE_HOSTLINK_BASE, &hostlink_.register_file()}}};
}

void System::observe_interrupts(InterruptObserver observer)
{
    interrupt_observers_.push_back(std::move(observer));
    if (interrupt_observers_.size() > 1)
        return;
    const auto notify = [this](const std::string& source, riscv::Plic::Request request) {
        for (const InterruptObserver& each : interrupt_observers_)
            each(source, request);
    };
    std::vector<std::string> names(riscv::Plic::source_count + 1);
    names[LEVEE_UART_IRQ] = "uart";
    for (const PlannedComponent& planned : plan_.components)
        if (planned.irq != 0)
            names[planned.irq] = planned.name;
    plic_.on_request = [notify, names](std::uint32_t irq, riscv::Plic::Request request) {
        notify(names[irq], request);
    };
    clint_.on_line = [notify](riscv::Interrupt line, bool level) {
        notify(line == riscv::Interrupt::timer ? "timer" : "software",
               level ? riscv::Plic::Request::Pending : riscv::Plic::Request::None);
    };
}

/// The sync unit must be made before the components that signal through it.
void System::make_components()
{
    const std::vector<PlannedComponent>& plans = plan_.components;
    components_.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (plans[i].declaration().number == LEVEE_BLOCK_SYNC)
            make_component(i, nullptr);
    for (const Component& component : components_)
        if (component.counters != nullptr)
            fabric_.emplace(
                Fabric{flows_, *component.counters, streams_, plan_.config.data, decisions_});
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (!components_[i].module)
            make_component(i, fabric_ ? &*fabric_ : nullptr);
    for (std::size_t i = 0; i < plans.size(); ++i)
        for (std::size_t owner = 0; owner < plans.size(); ++owner)
            if (plans[owner].name == plans[i].plan.shares)
                components_[i].share(*components_[owner].module);
}

void System::make_component(std::size_t index, Fabric* fabric)
{
    const PlannedComponent& planned = plan_.components[index];
    Component& component = components_[index] =
        made(planned, {fabric, plan_.config.seed, &planned.plan.placement});
    check_facets(planned, component);
    if (component.memory != nullptr)
        attach(planned.name, *component.memory);
    if (component.on_interrupt != nullptr)
        *component.on_interrupt = [this, irq = planned.irq](bool level) {
            plic_.set_source(irq, level);
        };
    if (component.flow_observer != nullptr)
        flows_.observe(*component.flow_observer);
}

void System::attach_storage()
{
    for (std::size_t i = 0; i < components_.size(); ++i) {
        const PlannedComponent& planned = plan_.components[i];
        const unsigned ways = plan_.ways_at(i);
        if (!planned.stores() || ways == 0)
            continue;
        bus_.targets.bind(ways > 1 ? make_interleave() : *components_[i].storage);
        const auto show = [&](const char* as, std::uint64_t base, std::uint64_t size) {
            // With interleaving, each memory of the range has its own link.
            const bool has_link = ways == 1 && !planned.plan.copies;
            bus_.map({planned.name + as, base, size, targets_, 0, planned.name, true, has_link});
        };
        show("", planned.base, ways * planned.plan.placement.mapped());
        if (planned.core_size != 0 && planned.core_base != planned.base)
            show(" (core's window)", planned.core_base, planned.core_size);
        ++targets_;
    }
}

/// Attaches registers in the order of their pages.
void System::attach_registers()
{
    for (const bool stores : {false, true})
        for (std::size_t i = 0; i < components_.size(); ++i) {
            const PlannedComponent& planned = plan_.components[i];
            if (planned.registers == 0 || planned.stores() != stores)
                continue;
            bus_.targets.bind(*components_[i].registers);
            bus_.map({planned.name + (stores ? " (registers)" : ""), planned.registers,
                      register_page_bytes, targets_++, 0, planned.name});
        }
}

void System::load(std::size_t component, std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    if (plan_.ways_at(component) > 1)
        load_interleaved(offset, bytes);
    else
        components_[component].load(offset, bytes);
    loaded_.push_back({component, offset, bytes.size()});
}

void System::load_model(std::size_t component, std::uint64_t offset,
                        std::span<const std::uint8_t> image, std::uint64_t bytes)
{
    load(component, offset, image);
    levee_model_header header;
    std::memcpy(&header, image.data(), sizeof header);
    std::vector<levee_tensor_entry> tensors(header.tensor_count);
    std::memcpy(tensors.data(), image.data() + header.header_bytes,
                tensors.size() * sizeof tensors.front());
    placed_model_ = PlacedModel{component, offset, bytes, std::move(tensors)};
}

void System::load(const ElfImage& program, const std::string& name)
{
    for (const ElfSegment& segment : program.segments) {
        bool placed = false;
        for (std::size_t i = 0; i < components_.size() && !placed; ++i) {
            const PlannedComponent& memory = plan_.components[i];
            const std::uint64_t offset = std::uint64_t{segment.address} - memory.core_base;
            if (!memory.stores() || segment.address < memory.core_base ||
                offset > memory.core_size || segment.memory_bytes > memory.core_size - offset)
                continue;
            load(i, offset, segment.data);
            placed = true;
        }
        if (!placed)
            throw ElfError(
                name + ": the segment at " + hexadecimal(segment.address) + " of " +
                std::to_string(segment.memory_bytes) +
                " bytes is not in a memory of this system; expected it in [" +
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
    const riscv::CoreConfig& config = plan_.config.core;
    if (config.icache)
        add_cache(core, "icache.", core_.hart().icache_counts());
    if (config.dcache) {
        add_cache(core, "dcache.", core_.hart().dcache_counts());
        core.add("dcache.written_back_bytes", core_.hart().dcache_counts().written_bytes);
    }
    visit("core", core);
    for (std::size_t i = 0; i < components_.size(); ++i)
        if (components_[i].report) {
            Stats stats;
            components_[i].report(stats);
            visit(plan_.components[i].name, stats);
        }
}

std::vector<std::string> System::caveats() const
{
    std::vector<std::string> all;
    for (std::size_t i = 0; i < components_.size(); ++i)
        if (components_[i].caveat)
            if (const std::string text = components_[i].caveat(); !text.empty())
                all.push_back(plan_.components[i].name + ": " +
                              for_all_interleaved(text, plan_, i));
    return all;
}

} // namespace levee
