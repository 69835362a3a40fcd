// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/flow/storage_module.hpp"

namespace levee {

Clock read_clock(config::MapReader& reader, const ComponentDefaults& defaults)
{
    constexpr std::uint64_t shortest_cycle_is_1_ps = 1'000'000'000'000;
    return {reader.quantity("clock", config::Dimension::Frequency, {1, shortest_cycle_is_1_ps},
                            defaults.clock.hz)};
}

CommandQueueConfig queue_of(const CommandQueueConfig& system, TakesTime takes)
{
    CommandQueueConfig queue = system;
    queue.timing.work = takes == TakesTime::All;
    queue.timing.streams = takes != TakesTime::Nothing;
    return queue;
}

void Component::use(CommandQueue& its_queue)
{
    queue = &its_queue;
    registers = &its_queue.registers;
    memory = &its_queue.memory;
    on_interrupt = &its_queue.on_interrupt;
    register_file = &its_queue.register_file();
}

void Component::use(StorageModule& memory)
{
    storage = &memory.port;
    bytes = &memory.storage();
    load = [&memory](std::uint64_t offset, std::span<const std::uint8_t> data) {
        memory.load(offset, data);
    };
}

} // namespace levee
