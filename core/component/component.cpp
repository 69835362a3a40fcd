// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/keys.hpp"
#include "core/flow/storage_module.hpp"

#include <map>

namespace levee {

Clock read_clock(config::MapReader& reader, const ComponentDefaults& defaults)
{
    if (reader.is_declared())
        return {reader.quantity("clock", defaults.clock.hz)};
    return {reader.quantity("clock", config::Dimension::Frequency, clock_key.limits,
                            defaults.clock.hz)};
}

CommandQueueConfig queue_of(const CommandQueueConfig& system, TakesTime takes)
{
    CommandQueueConfig queue = system;
    queue.timing.work = takes == TakesTime::All;
    queue.timing.streams = takes != TakesTime::Nothing;
    return queue;
}

std::span<const config::Key> keys_of(const Declaration& declaration)
{
    static std::map<const Declaration*, std::vector<config::Key>> known;
    if (declaration.parameters.empty())
        return {};
    std::vector<config::Key>& keys = known[&declaration];
    if (!keys.empty())
        return keys;
    keys.push_back(config::text("type", "Type of the component."));
    if (declaration.stores)
        keys.push_back(roles_key);
    if (!declaration.stores || declaration.operation_bytes != 0)
        keys.push_back(implementation_key);
    keys.insert(keys.end(), declaration.parameters.begin(), declaration.parameters.end());
    return keys;
}

std::vector<Parameter> parameters_read(const config::MapReader& reader,
                                       const Declaration& declaration)
{
    std::vector<Parameter> parameters;
    for (const auto& [name, value] : reader.shown())
        if (config::find_key(declaration.parameters, name) != nullptr)
            parameters.emplace_back(name, value);
    return parameters;
}

void Component::use(CommandQueue& its_queue)
{
    queue = &its_queue;
    registers = &its_queue.registers;
    memory = &its_queue.memory;
    on_interrupt = &its_queue.on_interrupt;
    register_file = &its_queue.register_file();
}

void Component::use(StorageModule& its_module)
{
    storage = &its_module.port;
    bytes = &its_module.storage();
    load = [&its_module](std::uint64_t offset, std::span<const std::uint8_t> data) {
        its_module.load(offset, data);
    };
}

} // namespace levee
