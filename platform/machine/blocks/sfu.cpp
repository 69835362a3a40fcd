// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/module.hpp"
#include "platform/machine/blocks/block.hpp"

namespace levee {

BlockType sfu_type()
{
    const auto read = [](config::MapReader& reader, const BlockDefaults& defaults) {
        sfu::Config config;
        config.clock = read_clock(reader, defaults);
        config.lanes = reader.count32("lanes", {1, 65536});
        config.pipeline_cycles = reader.count32("pipeline_cycles");
        config.queue = queue_of(defaults, defaults.timing.function_unit);
        BlockPlan plan;
        plan.parameters = {
            {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
            {"lanes", std::to_string(config.lanes)},
            {"pipeline_cycles", std::to_string(config.pipeline_cycles)}};
        plan.make = [config](const std::string& name, Fabric* fabric) {
            auto unit = std::make_unique<sfu::Sfu>(name.c_str(), config, *fabric);
            Block block;
            use_queue(block, unit->queue);
            block.report = [&sfu = *unit](Stats& stats) { sfu.report(stats); };
            block.observe_logits = [&sfu = *unit](LogitsSink sink) {
                sfu.on_logits(std::move(sink));
            };
            block.module = std::move(unit);
            return block;
        };
        return plan;
    };
    return {"sfu", LEVEE_BLOCK_SFU, read};
}

} // namespace levee
