#include "ip/rsa/module.hpp"
#include "platform/blocks/block.hpp"

namespace levee {

namespace {

rsa::Config read_config(config::MapReader& reader, const BlockDefaults& defaults)
{
    rsa::Config config;
    config.clock = read_clock(reader, defaults);
    config.array.rows = reader.count32("rows", {1, 4096});
    config.array.columns = reader.count32("columns", {1, 4096});
    config.array.load_bytes_per_cycle = reader.count32("load_bytes_per_cycle", {1});
    config.array.accumulator_rows = reader.count32("accumulator_rows", {1});
    config.array.overlap_loads = reader.boolean("overlap_loads", true);
    config.single_pass = reader.boolean("single_pass", false);
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show(const rsa::Config& config)
{
    return {{"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
            {"rows", std::to_string(config.array.rows)},
            {"columns", std::to_string(config.array.columns)},
            {"load_bytes_per_cycle", std::to_string(config.array.load_bytes_per_cycle)},
            {"accumulator_rows", std::to_string(config.array.accumulator_rows)},
            {"overlap_loads", config.array.overlap_loads ? "true" : "false"},
            {"single_pass", config.single_pass ? "true" : "false"}};
}

} // namespace

BlockType rsa_type()
{
    const auto read = [](config::MapReader& reader, const BlockDefaults& defaults) {
        const rsa::Config config = read_config(reader, defaults);
        BlockPlan plan;
        plan.parameters = show(config);
        plan.make = [config](const std::string& name, Fabric* fabric) {
            auto array = std::make_unique<rsa::Rsa>(name.c_str(), config, *fabric);
            Block block;
            use_queue(block, array->queue);
            block.report = [&rsa = *array](Stats& stats) { rsa.report(stats); };
            block.module = std::move(array);
            return block;
        };
        return plan;
    };
    return {"rsa", LEVEE_BLOCK_RSA, read};
}

} // namespace levee
