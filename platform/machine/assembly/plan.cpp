// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/plan.hpp"

#include "ip/common/boot_info.h"

#include <algorithm>

namespace levee {

namespace {

using config::Error;

const std::vector<std::pair<std::string, std::uint32_t>> role_words{
    {"model", LEVEE_ROLE_MODEL},
    {"kv", LEVEE_ROLE_KV},
    {"activations", LEVEE_ROLE_ACTIVATIONS},
    {"spill", LEVEE_ROLE_SPILL},
    {"code", LEVEE_ROLE_CODE},
    {"state", LEVEE_ROLE_STATE},
    {"weights_ring", LEVEE_ROLE_WEIGHTS_RING},
    {"kv_ring", LEVEE_ROLE_KV_RING}};

// The address map (docs/scenarios.md shows it).
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
    const config::Node* list = reader.raw("roles", false);
    std::uint32_t roles = 0;
    if (!list)
        return roles;
    std::vector<std::string> names;
    for (const auto& word : role_words)
        names.push_back(word.first);
    (void)reader.strings("roles");
    for (const config::Node& item : list->items)
        roles |= role_words[config::find_word(item, reader.path() + ".roles", names)].second;
    return roles;
}

/// Calls read(type) for the component's type; every key must be known to it.
template <typename Type>
const Type& find_type(const std::vector<Type>& types, const config::Component& component,
                      const std::string& path)
{
    std::vector<std::string> names;
    for (const Type& type : types)
        names.push_back(type.name);
    return types[config::find_word(*component.node.find("type"), path + ".type", names)];
}

PlannedMemory plan_memory(const config::Component& component)
{
    const std::string path = "system.memories." + component.name;
    const MemoryType& type = find_type(memory_types(), component, path);
    config::MapReader reader(component.node, path);
    (void)reader.string("type");
    PlannedMemory memory;
    memory.name = component.name;
    memory.type = type.name;
    memory.place = component.node.place;
    memory.roles = read_roles(reader);
    memory.plan = type.read(reader);
    reader.finish();
    if (memory.plan.place == MemoryPlace::TightlyCoupled)
        memory.roles |= LEVEE_ROLE_CODE;
    return memory;
}

PlannedBlock plan_block(const config::Component& component, BlockDefaults defaults, DataMode data)
{
    const std::string path = "system.blocks." + component.name;
    PlannedBlock block;
    block.name = component.name;
    block.type = &find_type(block_types(), component, path);
    config::MapReader reader(component.node, path);
    (void)reader.string("type");
    defaults.implementation =
        reader.choice<Implementation>("impl",
                                      {{"tlm", Implementation::Tlm},
                                       {"rtl", Implementation::Rtl},
                                       {"lockstep", Implementation::Lockstep}},
                                      Implementation::Tlm);
    if (data == DataMode::Phantom && defaults.implementation != Implementation::Tlm)
        throw reader.error("impl", "must be tlm with 'data: phantom': RTL works on data");
    block.plan = block.type->read(reader, defaults);
    if (defaults.implementation != Implementation::Tlm && !block.plan.has_rtl)
        throw reader.error("impl", "must be tlm: there is no RTL of blocks of type '" +
                                       block.type->name + "'");
    reader.finish();
    return block;
}

/// Hands out addresses in file order.
class Placer {
public:
    /// `ways`: memories like this one in its range.
    void place(PlannedMemory& memory, unsigned ways)
    {
        const std::uint64_t size = ways * memory.plan.mapped();
        switch (memory.plan.place) {
        case MemoryPlace::TightlyCoupled:
            memory.base = take(memory, tightly_coupled_, size, core_end);
            show_to_core(memory, memory.base, size);
            break;
        case MemoryPlace::OnChip:
            memory.base = take(memory, on_chip_, size, on_chip_end);
            show_to_core(memory, memory.base, ways * memory.plan.size_bytes);
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
    static std::uint64_t take(const PlannedMemory& memory, std::uint64_t& next, std::uint64_t size,
                              std::uint64_t end)
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

    static void show_to_core(PlannedMemory& memory, std::uint64_t base, std::uint64_t size)
    {
        memory.core_base = static_cast<std::uint32_t>(base);
        memory.core_size = static_cast<std::uint32_t>(size);
    }

    std::uint64_t tightly_coupled_ = LEVEE_TCM_BASE;
    std::uint64_t on_chip_ = on_chip_base;
    std::uint64_t off_chip_ = off_chip_base;
    std::uint64_t window_ = window_base;
};

/// Gives every memory its addresses; striped ones have the first one's.
void place_memories(SystemPlan& plan)
{
    Placer placer;
    for (std::size_t i = 0; i < plan.memories.size(); ++i)
        if (const unsigned ways = plan.ways_at(i))
            placer.place(plan.memories[i], ways);
        else
            plan.memories[i].base = plan.memories[plan.stripe->memories.front()].base;
}

void check_memories(const SystemPlan& plan)
{
    const config::Place& place = plan.config.memories_place;
    if (!plan.memory_for(LEVEE_ROLE_CODE))
        throw Error(place, "'system.memories' has none of type 'tcm', where the program goes");
}

void check_blocks(const SystemPlan& plan)
{
    const auto is_sync = [](const PlannedBlock& block) {
        return block.type->id == LEVEE_BLOCK_SYNC;
    };
    const auto syncs = std::count_if(plan.blocks.begin(), plan.blocks.end(), is_sync);
    if (!plan.blocks.empty() && syncs != 1)
        throw Error(plan.config.blocks_place,
                    "'system.blocks' has " + std::to_string(syncs) +
                        " blocks of type 'sync'; expected one, which all others signal through");
}

/// Registers of memories' controllers, behind the blocks'.
void place_controllers(SystemPlan& plan)
{
    std::size_t pages = plan.blocks.size();
    for (PlannedMemory& memory : plan.memories) {
        if (memory.plan.controller == LEVEE_BLOCK_NONE)
            continue;
        if (pages == LEVEE_MAX_BLOCKS)
            throw Error(memory.place, "'system.memories." + memory.name +
                                          "' has a controller; there are more of these and blocks "
                                          "than " +
                                          std::to_string(LEVEE_MAX_BLOCKS));
        memory.registers =
            first_register_page + static_cast<std::uint32_t>(pages++) * register_page_bytes;
    }
}

} // namespace

const PlannedMemory* SystemPlan::memory_for(std::uint32_t role) const
{
    for (const PlannedMemory& memory : memories)
        if (memory.roles & role)
            return &memory;
    return nullptr;
}

SystemPlan plan_system(const config::SystemConfig& config)
{
    SystemPlan plan;
    plan.config = config;
    for (const config::Component& component : config.memories)
        plan.memories.push_back(plan_memory(component));
    plan.stripe = plan_stripe(config, plan.memories);
    place_memories(plan);
    check_memories(plan);
    BlockDefaults defaults;
    defaults.clock = {config.core.clock_hz};
    defaults.queue = {config.commands.queue_depth,
                      config.commands.fetch_ps,
                      config.commands.register_latency_ps,
                      {.fetch = config.timing.fetch, .latency = config.timing.latency}};
    defaults.timing = config.timing;
    defaults.blocks = config.blocks;
    for (const config::Component& component : config.blocks) {
        PlannedBlock block = plan_block(component, defaults, config.data);
        const auto index = static_cast<std::uint32_t>(plan.blocks.size());
        block.base = first_register_page + index * register_page_bytes;
        block.irq = LEVEE_UART_IRQ + 1 + index;
        plan.blocks.push_back(std::move(block));
    }
    check_blocks(plan);
    place_controllers(plan);
    return plan;
}

std::string role_names(std::uint32_t roles)
{
    std::string names;
    for (const auto& [name, bit] : role_words)
        if (roles & bit)
            names += (names.empty() ? "" : ", ") + name;
    return names;
}

} // namespace levee
