// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/plan.hpp"

#include "core/abi/boot_info.h"
#include "core/component/keys.hpp"
#include "ip/sync/regs.h"
#include "platform/machine/assembly/system.hpp"

#include <algorithm>

namespace levee {

namespace {

using config::Dimension;
using config::Error;

// The address map, which docs/architecture.md shows.
constexpr std::uint64_t on_chip_base = 0x2000'0000, on_chip_end = 0x4000'0000;
constexpr std::uint64_t window_base = 0x4000'0000, window_end = LEVEE_TCM_BASE;
constexpr std::uint64_t core_end = 0x1'0000'0000;
constexpr std::uint64_t off_chip_base = 0x1'0000'0000;
constexpr std::uint64_t alignment = 0x10'0000;

std::uint64_t align_up(std::uint64_t address)
{
    return (address + alignment - 1) / alignment * alignment;
}

std::uint32_t read_roles(config::MapReader& reader)
{
    std::uint32_t roles = 0;
    for (const std::int64_t role : reader.as(roles_key).words("roles"))
        roles |= static_cast<std::uint32_t>(role);
    (void)reader.has("roles");
    return roles;
}

/// Returns the component's type. Throws config::Error if its section does not allow this type.
const ComponentType& find_type(const config::Component& component, bool stores,
                               const std::string& path, std::span<const ComponentType> all)
{
    std::vector<const ComponentType*> types;
    std::vector<std::string> names;
    for (const ComponentType& type : all)
        if (type.declaration->stores == stores) {
            types.push_back(&type);
            names.push_back(type.name());
        }
    return *types[config::find_word(*component.node.find("type"), path + ".type", names)];
}

Implementation read_implementation(config::MapReader& reader, DataMode data)
{
    const auto implementation = reader.as(implementation_key).word<Implementation>("impl");
    (void)reader.has("impl");
    if (data == DataMode::TimingOnly && implementation != Implementation::Tlm)
        throw reader.error("impl", "must be tlm with 'data: timing_only': RTL needs data");
    return implementation;
}

/// Throws std::logic_error for a parameter that the type does not declare. Price lists select
/// components by the declared parameters (docs/energy.md).
void check_parameters(const ComponentPlan& plan, const Declaration& type)
{
    const std::vector<const char*> names = parameter_names(type);
    for (const Parameter& shown : plan.parameters)
        if (!names.empty() && std::ranges::count(names, std::string_view(shown.first)) == 0)
            throw std::logic_error("its parameter '" + shown.first +
                                   "' is neither a declared key nor a declared derived parameter");
}

/// Asks the component's type for its plan. Converts exceptions other than config::Error to a
/// config::Error at the component's place in the scenario.
ComponentPlan read_plan(const PlannedComponent& planned, config::MapReader& reader,
                        const ComponentDefaults& defaults)
{
    try {
        ComponentPlan plan = planned.type->read(reader, defaults);
        check_parameters(plan, planned.declaration());
        return plan;
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw Error(planned.place, "'" + reader.path() + "' of type '" + planned.type->name() +
                                       "' cannot be read: " + error.what());
    }
}

/// Throws config::Error for roles that the memory cannot have in this configuration.
void check_roles(const PlannedComponent& planned, const config::MapReader& reader)
{
    constexpr std::uint32_t only_read = LEVEE_ROLE_MODEL | LEVEE_ROLE_WEIGHTS | LEVEE_ROLE_EXPERTS;
    constexpr std::uint32_t in_halves = LEVEE_ROLE_KV | LEVEE_ROLE_KV_RING;
    const Placement& placement = planned.plan.placement;
    if ((planned.roles & LEVEE_ROLE_CODE) != 0 && planned.roles != LEVEE_ROLE_CODE)
        throw reader.error("roles", "includes other data, but code and heap take the whole memory; "
                                    "expected only code");
    if (!placement.written_by_address && (planned.roles & ~only_read) != 0)
        throw reader.error(
            "roles", "names data that are written by address, which type '" + planned.type->name() +
                         "' does not allow; expected only model, weights and experts");
    if (placement.halved && (planned.roles & in_halves) != 0 && (planned.roles & ~in_halves) != 0)
        throw reader.error(
            "roles",
            "names other roles in addition to keys and values, but 'layout: kv' uses each half "
            "from its first byte for these; expected only kv and kv_ring, or 'layout: plain'");
}

PlannedComponent plan_component(const config::Component& component, bool stores,
                                ComponentDefaults defaults, const config::SystemConfig& system)
{
    const std::string path = (stores ? "system.memories." : "system.blocks.") + component.name;
    PlannedComponent planned;
    planned.name = component.name;
    planned.type = &find_type(component, stores, path, component_types(system.libraries));
    planned.place = component.node.place;
    const bool has_queue = planned.declaration().operation_bytes != 0;
    config::MapReader reader(component.node, path, keys_of(planned.declaration()));
    (void)reader.string("type");
    if (stores)
        planned.roles = read_roles(reader);
    if (!stores || has_queue)
        defaults.implementation = read_implementation(reader, system.data);
    defaults.queue = queue_of(defaults.queue, system.timing.of(component.name));
    planned.plan = read_plan(planned, reader, defaults);
    if (defaults.implementation != Implementation::Tlm && !planned.plan.has_rtl)
        throw reader.error("impl", "must be tlm: there is no RTL of blocks of type '" +
                                       planned.type->name() + "'");
    if (defaults.implementation == Implementation::RtlCycle && !planned.plan.has_rtl_cycle)
        throw reader.error("impl", "must be tlm, rtl or lockstep: the RTL of blocks of type '" +
                                       planned.type->name() + "' is not clocked in simulated time");
    reader.finish();
    if (stores && planned.plan.placement.place == MemoryPlace::TightlyCoupled)
        planned.roles |= LEVEE_ROLE_CODE;
    check_roles(planned, reader);
    return planned;
}

const PlannedComponent* find_memory(const SystemPlan& plan, const std::string& name)
{
    const auto found = std::ranges::find(plan.components, name, &PlannedComponent::name);
    return found == plan.components.end() ? nullptr : &*found;
}

/// Throws config::Error unless the named memory can hold copies of experts. It must store bytes as
/// they were written.
void check_copies(const SystemPlan& plan, const PlannedComponent& cache,
                  const PlannedComponent& experts)
{
    const ExpertCopies& copies = *cache.plan.copies;
    std::vector<std::string> known;
    std::string names;
    for (const PlannedComponent& memory : plan.components)
        if (&memory != &experts && memory.plan.placement.cacheable) {
            known.push_back(memory.name);
            names += (names.empty() ? "" : ", ") + memory.name;
        }
    if (std::ranges::find(known, copies.memory) == known.end())
        throw Error(copies.memory_place,
                    "'system.memories." + cache.name + ".memory' has '" + copies.memory +
                        "'; expected another memory, without the role 'experts', that keeps "
                        "bytes as written: " +
                        (names.empty() ? "this system has none" : names));
}

/// Checks the expert cache. Makes its address range as large as the range of the memory with the
/// experts.
void plan_copies(SystemPlan& plan)
{
    const PlannedComponent* first = nullptr;
    for (PlannedComponent& cache : plan.components) {
        if (!cache.plan.copies)
            continue;
        const std::string name = "'system.memories." + cache.name + "'";
        if (cache.roles != 0)
            throw Error(cache.place, name +
                                         " has roles; expected none, because it only holds copies "
                                         "of the memory with the role 'experts'");
        const PlannedComponent* const experts = plan.memory_for(LEVEE_ROLE_EXPERTS);
        if (experts == nullptr)
            throw Error(cache.place, name + " has copies of experts; expected a memory with the "
                                            "role 'experts', which holds all experts");
        if (first != nullptr)
            throw Error(cache.place, name + " has copies of experts, as '" + first->name +
                                         "' has; expected only one memory with copies");
        check_copies(plan, cache, *experts);
        const PlannedComponent& copies = *find_memory(plan, cache.plan.copies->memory);
        const auto ways = plan.ways_at(static_cast<std::size_t>(experts - plan.components.data()));
        cache.plan.placement.size_bytes = ways * experts->plan.placement.mapped();
        cache.plan.placement.bytes_per_second = copies.plan.placement.bytes_per_second;
        first = &cache;
    }
}

/// Assigns addresses to memories in the order of the scenario file.
class Placer {
public:
    /// `ways` is the number of interleaved memories in the memory's address range; 1 without
    /// interleaving.
    void place(PlannedComponent& memory, unsigned ways)
    {
        const Placement& placement = memory.plan.placement;
        const std::uint64_t size = ways * placement.mapped();
        switch (placement.place) {
        case MemoryPlace::TightlyCoupled:
            memory.base = take(memory, tightly_coupled_, size, core_end);
            show_to_core(memory, memory.base, size);
            break;
        case MemoryPlace::OnChip:
            if (!placement.written_by_address) { // the core does not use the memory, so its
                                                 // addresses are not limited to the core's window
                memory.base = take(memory, off_chip_, size, std::uint64_t{1} << 48);
                break;
            }
            memory.base = take(memory, on_chip_, size, on_chip_end);
            show_to_core(memory, memory.base, ways * placement.size_bytes);
            break;
        case MemoryPlace::OffChip:
            memory.base = take(memory, off_chip_, size, std::uint64_t{1} << 48);
            if (window_ < window_end) {
                const std::uint64_t seen = std::min(size, window_end - window_);
                show_to_core(memory, window_, seen);
                window_ = align_up(window_ + seen);
            }
            break;
        }
    }

private:
    static std::uint64_t take(const PlannedComponent& memory, std::uint64_t& next,
                              std::uint64_t size, std::uint64_t end)
    {
        const std::uint64_t base = next;
        if (base >= end || size > end - base)
            throw Error(memory.place, "'system.memories." + memory.name + "' has " +
                                          config::format_quantity(size, config::Dimension::Size) +
                                          "; the address map has room for " +
                                          config::format_quantity(base < end ? end - base : 0,
                                                                  config::Dimension::Size) +
                                          " there");
        next = align_up(base + size);
        return base;
    }

    static void show_to_core(PlannedComponent& memory, std::uint64_t base, std::uint64_t size)
    {
        memory.core_base = static_cast<std::uint32_t>(base);
        memory.core_size = static_cast<std::uint32_t>(size);
    }

    std::uint64_t tightly_coupled_ = LEVEE_TCM_BASE;
    std::uint64_t on_chip_ = on_chip_base;
    std::uint64_t off_chip_ = off_chip_base;
    std::uint64_t window_ = window_base;
};

/// Assigns addresses to every memory. Interleaved memories share the first memory's address.
/// Memories that hold only weights get their addresses last. The core never reads their bytes, so
/// the other memories should get the core's window.
void place_memories(SystemPlan& plan)
{
    Placer placer;
    for (const bool keeps_weights : {false, true})
        for (std::size_t i = 0; i < plan.components.size(); ++i) {
            PlannedComponent& component = plan.components[i];
            constexpr std::uint32_t weights = LEVEE_ROLE_WEIGHTS | LEVEE_ROLE_EXPERTS;
            const bool only_weights = (component.roles & ~weights) == 0 &&
                                      (component.roles != 0 || component.plan.copies.has_value());
            if (only_weights != keeps_weights)
                continue;
            if (const unsigned ways = plan.ways_at(i))
                placer.place(component, ways);
            else
                component.base = plan.components[plan.interleave->memories.front()].base;
        }
}

void check_memories(const SystemPlan& plan)
{
    const config::Place& place = plan.config.memories_place;
    if (!plan.memory_for(LEVEE_ROLE_CODE))
        throw Error(place,
                    "'system.memories' has no memory of type 'tcm'; expected one for the program");
}

/// Checks that at most one memory has the role `weights`, and that its type converts weights to its
/// own format.
void check_weights(const SystemPlan& plan)
{
    const PlannedComponent* first = nullptr;
    for (const PlannedComponent& memory : plan.components) {
        if ((memory.roles & LEVEE_ROLE_WEIGHTS) == 0)
            continue;
        const std::string name = "'system.memories." + memory.name + "'";
        if (!memory.plan.keep)
            throw Error(memory.place, name + " has the role 'weights', but type '" +
                                          memory.type->name() +
                                          "' does not convert weights to its own format; "
                                          "expected the role 'model'");
        if (first != nullptr)
            throw Error(memory.place, name + " has the role 'weights', as '" + first->name +
                                          "' has; expected only one memory with this role");
        first = &memory;
    }
}

/// Checks that at most one memory has the role `experts`.
void check_experts(const SystemPlan& plan)
{
    const PlannedComponent* first = nullptr;
    for (const PlannedComponent& memory : plan.components) {
        if ((memory.roles & LEVEE_ROLE_EXPERTS) == 0)
            continue;
        if (first != nullptr)
            throw Error(memory.place, "'system.memories." + memory.name +
                                          "' has the role 'experts', as '" + first->name +
                                          "' has; expected only one memory with this role");
        first = &memory;
    }
}

/// Checks that a system with blocks has exactly one sync unit. All queues signal through it.
void check_sync(const SystemPlan& plan)
{
    const auto needs_one = [](const PlannedComponent& component) {
        return !component.stores() || component.declaration().operation_bytes != 0;
    };
    const auto is_one = [](const PlannedComponent& component) {
        return component.declaration().number == LEVEE_BLOCK_SYNC;
    };
    const std::vector<PlannedComponent>& all = plan.components;
    const auto syncs = std::count_if(all.begin(), all.end(), is_one);
    if (std::any_of(all.begin(), all.end(), needs_one) && syncs != 1)
        throw Error(plan.config.blocks_place,
                    "'system.blocks' has " + std::to_string(syncs) +
                        " blocks of type 'sync'; expected one, through which all others signal");
}

/// Assigns register pages and interrupts in the order in which boot_info lists blocks: first blocks
/// that only compute, then those that also store.
void place_registers(SystemPlan& plan)
{
    std::uint32_t pages = 0;
    for (const bool stores : {false, true})
        for (PlannedComponent& component : plan.components) {
            if (component.stores() != stores || component.declaration().number == 0)
                continue;
            if (pages == LEVEE_MAX_BLOCKS)
                throw Error(component.place, "'system.memories." + component.name +
                                                 "' has a controller, but there are more than " +
                                                 std::to_string(LEVEE_MAX_BLOCKS) +
                                                 " blocks and controllers; remove some");
            component.registers = first_register_page + pages * register_page_bytes;
            if (component.declaration().interrupts)
                component.irq = LEVEE_UART_IRQ + 1 + pages;
            ++pages;
        }
}

/// Lists the memories that the core's caches may hold. A line fill costs one plain access and the
/// line's transfer, at the slower rate of the bus port and the memory's own port. For off-chip
/// memory, the plain access already includes the time of its bursts.
void list_cacheable(SystemPlan& plan)
{
    const std::uint64_t port = plan.config.bus.port_bytes_per_second;
    for (const PlannedComponent& memory : plan.components) {
        const Placement& placement = memory.plan.placement;
        if (memory.core_size == 0 || !placement.cacheable)
            continue;
        const bool on_chip = placement.place == MemoryPlace::OnChip;
        const std::uint64_t rate = on_chip ? std::min(port, placement.bytes_per_second) : port;
        plan.config.core.cacheable.push_back(
            {memory.core_base, memory.core_size, ps_per_byte_at(rate)});
    }
}

std::string show(const riscv::CacheConfig& cache)
{
    return config::format_quantity(cache.size_bytes, Dimension::Size) + ", lines of " +
           config::format_quantity(cache.line_bytes, Dimension::Size) + ", " +
           std::to_string(cache.ways) + (cache.ways == 1 ? " way" : " ways");
}

} // namespace

const PlannedComponent* SystemPlan::memory_for(std::uint32_t role) const
{
    for (const PlannedComponent& component : components)
        if (component.roles & role)
            return &component;
    return nullptr;
}

std::size_t SystemPlan::range_of(const std::string& memory) const
{
    const PlannedComponent* const found = find_memory(*this, memory);
    const auto index = static_cast<std::size_t>(found - components.data());
    return ways_at(index) == 0 ? interleave->memories.front() : index;
}

namespace {

/// Throws config::Error if `timing:` names components that do not exist or have no operations.
void check_timing(const SystemPlan& plan)
{
    std::vector<std::string> known{"latency", "fetch"};
    for (const PlannedComponent& component : plan.components)
        if (component.declaration().operation_bytes != 0)
            known.push_back(component.name);
    for (const config::ComponentTiming& timing : plan.config.timing.components) {
        if (std::ranges::find(known, timing.name) != known.end())
            continue;
        const bool is_there = std::ranges::find(plan.components, timing.name,
                                                &PlannedComponent::name) != plan.components.end();
        throw Error(timing.place,
                    is_there ? "'timing." + timing.name +
                                   "' names a component without operations; expected one that "
                                   "executes operations, or 'timing.latency'"
                             : "unknown key 'timing." + timing.name + "'" +
                                   config::suggestion(timing.name, known));
    }
}

} // namespace

SystemPlan plan_system(const config::SystemConfig& config)
{
    SystemPlan plan;
    plan.config = config;
    ComponentDefaults defaults;
    defaults.clock = {config.core.clock_hz};
    defaults.queue = {config.commands.queue_depth,
                      config.commands.fetch_ps,
                      config.commands.register_latency_ps,
                      {.fetch = config.timing.fetch, .latency = config.timing.latency}};
    defaults.blocks = config.blocks;
    for (const config::Component& component : config.memories)
        plan.components.push_back(plan_component(component, true, defaults, config));
    plan.interleave = plan_interleave(config, plan.components);
    plan_copies(plan);
    place_memories(plan);
    check_memories(plan);
    check_weights(plan);
    check_experts(plan);
    for (const config::Component& component : config.blocks)
        plan.components.push_back(plan_component(component, false, defaults, config));
    check_timing(plan);
    check_sync(plan);
    place_registers(plan);
    list_cacheable(plan);
    return plan;
}

SystemPlan plan_system_of(const config::Scenario& scenario)
{
    SystemPlan plan = plan_system(scenario.system);
    const levee_boot_info boot_info = boot_info_ahead(plan, scenario);
    for (const PlannedComponent& component : plan.components)
        if (component.plan.check)
            component.plan.check(component.name, boot_info);
    return plan;
}

std::vector<Parameter> core_parameters(const config::SystemConfig& system)
{
    std::vector<Parameter> parameters{
        {"clock", config::format_quantity(system.core.clock_hz, Dimension::Frequency)},
        {"timebase", config::format_quantity(system.timebase_hz, Dimension::Frequency)}};
    if (system.core.icache)
        parameters.push_back({"icache", show(*system.core.icache)});
    if (system.core.dcache)
        parameters.push_back(
            {"dcache", show(*system.core.dcache) + ", write-back, kept coherent by " +
                           (system.core.dcache->snooped ? "snooping" : "software")});
    return parameters;
}

std::vector<Parameter> bus_parameters(const config::SystemConfig& system)
{
    return {{"latency", config::format_quantity(system.bus.latency_ps, Dimension::Time)},
            {"port_bandwidth",
             config::format_quantity(system.bus.port_bytes_per_second, Dimension::Bandwidth)}};
}

std::string role_names(std::uint32_t roles)
{
    std::string names;
    for (const config::Word& role : role_words)
        if (roles & static_cast<std::uint32_t>(role.value))
            names += (names.empty() ? "" : ", ") + std::string(role.text);
    return names;
}

} // namespace levee
