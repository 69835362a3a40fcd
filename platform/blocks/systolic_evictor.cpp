#include "ip/systolic_evictor/module.hpp"
#include "platform/blocks/block.hpp"

namespace levee {

BlockType systolic_evictor_type()
{
    const auto read = [](config::MapReader& reader, const BlockDefaults& defaults) {
        systolic_evictor::Config config;
        config.clock = read_clock(reader, defaults);
        config.rows = reader.count32("rows", {1, 65536});
        config.scores_per_cycle = reader.count32("scores_per_cycle", {1, 65536}, 1);
        config.queue = defaults.queue;
        BlockPlan plan;
        plan.parameters = {
            {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
            {"rows", std::to_string(config.rows)},
            {"scores_per_cycle", std::to_string(config.scores_per_cycle)}};
        plan.make = [config](const std::string& name, Fabric* fabric) {
            auto unit =
                std::make_unique<systolic_evictor::SystolicEvictor>(name.c_str(), config, *fabric);
            Block block;
            use_queue(block, unit->queue);
            block.report = [&evictor = *unit](Stats& stats) { evictor.report(stats); };
            block.module = std::move(unit);
            return block;
        };
        return plan;
    };
    return {"systolic_evictor", LEVEE_BLOCK_SYSTOLIC_EVICTOR, read};
}

} // namespace levee
