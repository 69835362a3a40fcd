// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/blocks/block.hpp"

namespace levee {

const std::vector<BlockType>& block_types()
{
    static const std::vector<BlockType> types{
        sync_type(), dma_type(), rsa_type(), sfu_type(), systolic_evictor_type(), veda_type()};
    return types;
}

Clock read_clock(config::MapReader& reader, const BlockDefaults& defaults)
{
    constexpr std::uint64_t shortest_cycle_is_1_ps = 1'000'000'000'000;
    return {reader.quantity("clock", config::Dimension::Frequency, {1, shortest_cycle_is_1_ps},
                            defaults.clock.hz)};
}

CommandQueueConfig queue_of(const BlockDefaults& defaults, bool takes_time)
{
    CommandQueueConfig queue = defaults.queue;
    queue.timing.work = queue.timing.streams = takes_time;
    return queue;
}

void use_queue(Block& block, CommandQueue& queue)
{
    block.queue = &queue;
    block.registers = &queue.registers;
    block.memory = &queue.memory;
    block.on_interrupt = &queue.on_interrupt;
    block.register_file = &queue.register_file();
}

} // namespace levee
