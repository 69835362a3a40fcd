// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/meter.hpp"

#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace levee::energy {

namespace {

constexpr std::array<const char*, LEVEE_EDRAM_GROUPS> refresh_names{
    "refresh.high_msb", "refresh.high_lsb", "refresh.low_msb", "refresh.low_lsb"};

std::string lower(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '_' : c;
    return text;
}

/// Whether `name` is the component's own or a part's of it: "bus.link3" is the bus's.
bool belongs_to(const std::string& name, const std::string& component)
{
    return name == component || name.starts_with(component + ".");
}

} // namespace

std::vector<Component> components_of(const SystemPlan& plan)
{
    std::vector<Component> components{{"core", "core"}, {"bus", "bus"}, {"commands", "commands"}};
    for (const PlannedMemory& memory : plan.memories)
        components.push_back({memory.name, memory.type, memory.plan.place != MemoryPlace::OffChip,
                              memory.plan.size_bytes});
    for (const PlannedBlock& block : plan.blocks)
        components.push_back({block.name, block.type->name, true, 0, block.plan.shares.empty()});
    components.push_back({chip_other, chip_other});
    return components;
}

std::vector<ComponentType> component_types()
{
    std::vector<ComponentType> types{
        {"core", Kind::Core}, {"bus", Kind::Bus}, {"commands", Kind::Commands}};
    for (const MemoryType& type : memory_types())
        types.push_back({type.name, Kind::Memory});
    for (const BlockType& type : block_types())
        types.push_back({type.name, Kind::Block});
    return types;
}

Meter::Meter(const SystemPlan& plan, System& system, Ledger& ledger)
    : plan_(plan), system_(system), ledger_(ledger), background_(ledger.operation("background")),
      program_(ledger.operation("core.program")),
      instructions_account_(ledger.account(component("core"), "instruction")),
      descriptors_account_(ledger.account(component("commands"), "descriptor"))
{
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        refresh_operations_[group] = ledger.operation(refresh_names[group]);
    for (unsigned i = 0; i < ledger.components().size(); ++i)
        static_accounts_.push_back(ledger.account(i, "static"));
    for (const PlannedMemory& memory : plan.memories) {
        memories_.push_back(memory.name);
        refresh_accounts_.push_back(ledger.account(component(memory.name), "refresh"));
        refreshed_.push_back({});
    }
    for (std::size_t i = 0; i < plan.blocks.size(); ++i)
        if (CommandQueue* queue = system.blocks()[i].queue) {
            queues_.emplace_back(*this, component(plan.blocks[i].name), plan.blocks[i].type->id);
            queue->observe(queues_.back());
        }
    system.bus().observe(*this);
}

unsigned Meter::component(const std::string& name) const
{
    const std::vector<Component>& all = ledger_.components();
    for (unsigned i = 0; i < all.size(); ++i)
        if (all[i].name == name)
            return i;
    throw std::logic_error("the energy ledger has no component '" + name + "'");
}

void Meter::enter(levee_phase phase, Picoseconds now)
{
    settle(now);
    ledger_.set_phase(phase);
}

void Meter::settle(Picoseconds now)
{
    if (now > settled_) {
        for (const unsigned account : static_accounts_)
            ledger_.count(account, background_, now - settled_);
        settled_ = now;
    }
    const std::uint64_t instructions = system_.core().instructions();
    ledger_.count(instructions_account_, program_, instructions - instructions_);
    instructions_ = instructions;
    settle_refreshes();
}

void Meter::settle_refreshes()
{
    for (std::size_t i = 0; i < refreshed_.size(); ++i) {
        if (!system_.memories()[i].refreshed_rows)
            continue;
        const edram::GroupCounts rows = system_.memories()[i].refreshed_rows();
        for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
            ledger_.count(refresh_accounts_[i], refresh_operations_[group],
                          (rows[group] - refreshed_[i][group]) * edram::row_bytes);
        refreshed_[i] = rows;
    }
}

/// `name`: of what the bytes pass through.
Meter::Traffic Meter::traffic_at(const void* key, const std::string& name)
{
    if (belongs_to(name, "bus")) {
        const unsigned transfer = ledger_.account(component("bus"), "transfer");
        return {key, transfer, transfer, true};
    }
    for (const std::string& memory : memories_)
        if (belongs_to(name, memory))
            return {key, ledger_.account(component(memory), "read"),
                    ledger_.account(component(memory), "write"), true};
    return {key, 0, 0, false};
}

const Meter::Traffic& Meter::traffic_of(const FlowResource& resource)
{
    for (const Traffic& known : resources_)
        if (known.key == &resource)
            return known;
    resources_.push_back(traffic_at(&resource, resource.flow_name()));
    return resources_.back();
}

const Meter::Traffic& Meter::traffic_of(const bus::Mapping& window)
{
    for (const Traffic& known : windows_)
        if (known.key == &window)
            return known;
    // "sram", "sram (core's window)", "kv_edram (registers)"
    windows_.push_back(traffic_at(&window, window.name.substr(0, window.name.find(' '))));
    windows_.back().counts &= window.name.find("(registers)") == std::string::npos;
    return windows_.back();
}

const Meter::Traffic& Meter::traffic_of(const PlannedMemory& memory)
{
    for (const Traffic& known : windows_)
        if (known.key == &memory)
            return known;
    windows_.push_back(traffic_at(&memory, memory.name));
    return windows_.back();
}

/// The core's plain accesses. Blocks' are bulk accesses, counted by their queues.
void Meter::passed(const bus::Transaction& transaction)
{
    if (transaction.bulk != nullptr || transaction.window == nullptr ||
        !transaction.payload->is_response_ok())
        return;
    const bus::Mapping& window = *transaction.window;
    const tlm::tlm_generic_payload& payload = *transaction.payload;
    const auto count = [&](const Traffic& traffic, std::uint64_t bytes) {
        if (traffic.counts)
            ledger_.count(payload.is_read() ? traffic.read : traffic.write, program_, bytes);
    };
    if (window.one_link) // all but striped memories
        return count(traffic_of(window), payload.get_data_length());
    const StripePlan& stripe = *plan_.stripe;
    stripe.division.for_each_piece(payload.get_address() - window.base, payload.get_data_length(),
                                   [&](const stripe::Place& place, std::uint64_t bytes) {
                                       count(traffic_of(plan_.memories[stripe.memories[place.way]]),
                                             bytes);
                                   });
}

Meter::Queue::Queue(Meter& meter, unsigned component, levee_block_type type)
    : meter_(meter), component_(component), type_(type)
{
    operations_.fill(-1);
}

void Meter::Queue::costs(const CommandQueue&, const levee_descriptor& descriptor,
                         std::span<const FlowUse> uses, std::span<const CountedEvent> work)
{
    Ledger& ledger = meter_.ledger_;
    const unsigned operation = operation_of(descriptor);
    ledger.count(meter_.descriptors_account_, operation, 1);
    for (const FlowUse& use : uses) {
        const Traffic& traffic = meter_.traffic_of(*use.resource);
        if (traffic.counts)
            ledger.count(use.direction == Direction::Read ? traffic.read : traffic.write, operation,
                         use.bytes);
    }
    for (const CountedEvent& event : work)
        ledger.count(account_of(event.name), operation, event.count);
}

unsigned Meter::Queue::operation_of(const levee_descriptor& descriptor)
{
    int& known = operations_[descriptor.opcode];
    if (known < 0)
        known = static_cast<int>(
            meter_.ledger_.operation(meter_.ledger_.components()[component_].name + "." +
                                     lower(trace::operation_name(type_, descriptor))));
    return static_cast<unsigned>(known);
}

/// By the name's address; the same name may have several.
unsigned Meter::Queue::account_of(const char* event)
{
    for (const auto& [name, account] : events_)
        if (name == event)
            return account;
    events_.emplace_back(event, meter_.ledger_.account(component_, event));
    return events_.back().second;
}

} // namespace levee::energy
