// SPDX-License-Identifier: Apache-2.0
#include "ip/dma/module.hpp"
#include "platform/machine/blocks/block.hpp"

namespace levee {

BlockType dma_type()
{
    const auto read = [](config::MapReader& reader, const BlockDefaults& defaults) {
        dma::Config config;
        config.clock = read_clock(reader, defaults);
        config.bytes_per_cycle = reader.count32("bytes_per_cycle", {1});
        config.queue = queue_of(defaults, defaults.timing.dma);
        BlockPlan plan;
        plan.parameters = {
            {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
            {"bytes_per_cycle", std::to_string(config.bytes_per_cycle)}};
        plan.make = [config](const std::string& name, Fabric* fabric) {
            auto engine = std::make_unique<dma::Dma>(name.c_str(), config, *fabric);
            Block block;
            use_queue(block, engine->queue);
            block.report = [&dma = *engine](Stats& stats) { dma.report(stats); };
            block.module = std::move(engine);
            return block;
        };
        return plan;
    };
    return {"dma", LEVEE_BLOCK_DMA, read};
}

} // namespace levee
