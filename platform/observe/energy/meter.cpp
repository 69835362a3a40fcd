// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/meter.hpp"

#include "ip/bus/declaration.hpp"
#include "ip/riscv/declaration.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace levee::energy {

namespace {

std::string lower(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '_' : c;
    return text;
}

} // namespace

std::vector<Consumer> consumers_of(const SystemPlan& plan)
{
    std::vector<Consumer> consumers{{"core", riscv::declaration.type},
                                    {"bus", bus::declaration.type},
                                    {"commands", commands_declaration.type}};
    consumers[0].parameters = core_parameters(plan.config);
    consumers[1].parameters = bus_parameters(plan.config);
    for (const PlannedComponent& component : plan.components) {
        const Placement& placement = component.plan.placement;
        const bool on_chip = !component.stores() || placement.place != MemoryPlace::OffChip;
        const std::uint64_t size =
            placement.installed_bytes != 0 ? placement.installed_bytes : placement.size_bytes;
        consumers.push_back({component.name, component.type->name(), on_chip, size,
                             component.plan.shares.empty(), placement.ports,
                             component.plan.parameters, component.plan.price_commands});
    }
    consumers.push_back({chip_other, chip_other});
    return consumers;
}

std::vector<const Declaration*> priced_types(std::span<const config::ComponentLibrary> libraries)
{
    std::vector<const Declaration*> types{&riscv::declaration, &bus::declaration,
                                          &commands_declaration};
    for (const ComponentType& type : component_types(libraries))
        types.push_back(type.declaration);
    return types;
}

Meter::Meter(const SystemPlan& plan, System& system, Ledger& ledger, std::vector<bool> by_command)
    : plan_(plan), system_(system), ledger_(ledger), by_command_(std::move(by_command)),
      background_(ledger.operation("background")), program_(ledger.operation("core.program")),
      instructions_account_(ledger.account(component("core"), riscv::instruction_event.name)),
      descriptors_account_(ledger.account(component("commands"), descriptor_event.name))
{
    for (unsigned i = 0; i < ledger.components().size(); ++i)
        static_accounts_.push_back(ledger.account(i, "static"));
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        const unsigned own = component(plan.components[i].name);
        for (const BackgroundActivity& activity : system.components()[i].background)
            if (by_command_[own] || !activity.event->by_command)
                watch(own, activity);
        if (CommandQueue* queue = system.components()[i].queue) {
            queues_.emplace_back(*this, own, *queue);
            queue->observe(queues_.back());
        }
    }
    system.bus().observe(*this);
}

void Meter::watch(unsigned component, const BackgroundActivity& activity)
{
    if (activity.enable)
        activity.enable();
    backgrounds_.push_back({&activity, ledger_.account(component, activity.event->name),
                            ledger_.operation(activity.operation)});
}

unsigned Meter::component(const std::string& name) const
{
    const std::vector<Consumer>& all = ledger_.components();
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
    for (Background& background : backgrounds_) {
        const std::uint64_t count = background.activity->count();
        ledger_.count(background.account, background.operation, count - background.counted);
        background.counted = count;
    }
}

Meter::Traffic Meter::traffic_into(const void* key, const FlowAccount& account)
{
    using Kind = FlowAccount::Kind;
    const std::vector<Consumer>& all = ledger_.components();
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Consumer& consumer) {
        return consumer.name == account.component;
    });
    if (!is_known || account.kind == Kind::Stream || account.kind == Kind::Units)
        return {key, 0, 0, false};
    const unsigned owner = component(account.component);
    if (account.kind == Kind::Link) {
        const unsigned transfer = ledger_.account(owner, bus::transfer_event.name);
        return {key, transfer, transfer, true};
    }
    Traffic traffic{key, ledger_.account(owner, read_event.name),
                    ledger_.account(owner, write_event.name), true, owner};
    for (std::size_t i = 0; i < plan_.components.size(); ++i)
        if (by_command_[owner] && plan_.components[i].name == account.component)
            traffic.commands = &system_.components()[i];
    return traffic;
}

void Meter::count_commands(const Traffic& traffic, unsigned operation, Direction direction,
                           const AccessPattern& pattern, std::uint64_t bytes)
{
    if (traffic.commands == nullptr || !traffic.commands->commands)
        return;
    for (const CountedEvent& event : traffic.commands->commands(direction, pattern, bytes))
        ledger_.count(ledger_.account(traffic.owner, event.event->name), operation, event.count);
}

const Meter::Traffic& Meter::traffic_of(const FlowResource& resource)
{
    for (const Traffic& known : resources_)
        if (known.key == &resource)
            return known;
    resources_.push_back(traffic_into(&resource, resource.account()));
    return resources_.back();
}

const Meter::Traffic& Meter::traffic_of(const bus::Mapping& window)
{
    for (const Traffic& known : windows_)
        if (known.key == &window)
            return known;
    const auto kind = window.shows_data ? FlowAccount::Kind::Storage : FlowAccount::Kind::Units;
    windows_.push_back(traffic_into(&window, {kind, window.component}));
    return windows_.back();
}

const Meter::Traffic& Meter::traffic_of(const PlannedComponent& memory)
{
    for (const Traffic& known : windows_)
        if (known.key == &memory)
            return known;
    windows_.push_back(traffic_into(&memory, {FlowAccount::Kind::Storage, memory.name}));
    return windows_.back();
}

/// Counts the core's plain accesses. Bulk accesses are made by blocks, and are counted by the
/// blocks' queues.
void Meter::passed(const bus::Transaction& transaction)
{
    if (transaction.bulk != nullptr || transaction.window == nullptr ||
        !transaction.payload->is_response_ok())
        return;
    const bus::Mapping& window = *transaction.window;
    const tlm::tlm_generic_payload& payload = *transaction.payload;
    const auto count = [&](const Traffic& traffic, std::uint64_t offset, std::uint64_t bytes) {
        if (!traffic.counts)
            return;
        ledger_.count(payload.is_read() ? traffic.read : traffic.write, program_, bytes);
        const AccessPattern access{offset, bytes};
        count_commands(traffic, program_, payload.is_read() ? Direction::Read : Direction::Write,
                       access, bytes);
    };
    if (window.one_link) // true for every window that is not interleaved
        return count(traffic_of(window), payload.get_address() - window.base,
                     payload.get_data_length());
    const InterleavePlan& interleave = *plan_.interleave;
    interleave.division.for_each_piece(
        payload.get_address() - window.base, payload.get_data_length(),
        [&](const interleave::Place& place, std::uint64_t bytes) {
            count(traffic_of(plan_.components[interleave.memories[place.way]]), place.offset,
                  bytes);
        });
}

Meter::Queue::Queue(Meter& meter, unsigned component, const CommandQueue& queue)
    : meter_(meter), component_(component), declaration_(queue.declaration())
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
        if (!traffic.counts || !use.accounted)
            continue;
        ledger.count(use.direction == Direction::Read ? traffic.read : traffic.write, operation,
                     use.bytes);
        meter_.count_commands(traffic, operation, use.direction, use.pattern, use.bytes);
    }
    for (const CountedEvent& event : work)
        ledger.count(account_of(*event.event), operation, event.count);
}

unsigned Meter::Queue::operation_of(const levee_descriptor& descriptor)
{
    int& known = operations_[descriptor.opcode];
    if (known < 0)
        known = static_cast<int>(
            meter_.ledger_.operation(meter_.ledger_.components()[component_].name + "." +
                                     lower(trace::operation_name(declaration_, descriptor))));
    return static_cast<unsigned>(known);
}

unsigned Meter::Queue::account_of(const EnergyEvent& event)
{
    for (const auto& [known, account] : events_)
        if (known == &event)
            return account;
    const auto declared = declaration_.events;
    if (std::none_of(declared.begin(), declared.end(), [&](const EnergyEvent& other) {
            return std::string_view(other.name) == event.name;
        }))
        throw std::logic_error("a component of type '" + std::string(declaration_.type) +
                               "' counts '" + event.name + "', which it does not declare");
    events_.emplace_back(&event, meter_.ledger_.account(component_, event.name));
    return events_.back().second;
}

} // namespace levee::energy
