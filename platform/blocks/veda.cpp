#include "ip/veda/module.hpp"
#include "platform/blocks/block.hpp"

#include <bit>

namespace levee {

namespace {

using config::Dimension;

/// The adder trees are whole ones.
std::uint32_t power_of_two(config::MapReader& reader, const std::string& key, std::uint32_t least)
{
    constexpr std::uint32_t most = 64;
    const std::uint32_t value = reader.count32(key, {least, most});
    if (reader.has(key) && !std::has_single_bit(value))
        throw reader.error(key, "is no power of two");
    return value;
}

veda::Config read_config(config::MapReader& reader, const BlockDefaults& defaults)
{
    veda::Config config;
    config.clock = read_clock(reader, defaults);
    config.arrays.arrays = power_of_two(reader, "arrays", 1);
    config.arrays.rows = power_of_two(reader, "rows", 2);
    config.arrays.columns = power_of_two(reader, "columns", 2);
    config.buffer_bytes = reader.quantity("buffer", Dimension::Size, {}, 0);
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show(const veda::Config& config)
{
    return {{"clock", config::format_quantity(config.clock.hz, Dimension::Frequency)},
            {"arrays", std::to_string(config.arrays.arrays)},
            {"rows", std::to_string(config.arrays.rows)},
            {"columns", std::to_string(config.arrays.columns)},
            {"buffer", config::format_quantity(config.buffer_bytes, Dimension::Size)}};
}

} // namespace

BlockType veda_type()
{
    const auto read = [](config::MapReader& reader, const BlockDefaults& defaults) {
        const veda::Config config = read_config(reader, defaults);
        BlockPlan plan;
        plan.parameters = show(config);
        plan.make = [config](const std::string& name, Fabric* fabric) {
            auto arrays = std::make_unique<veda::Veda>(name.c_str(), config, *fabric);
            Block block;
            use_queue(block, arrays->queue);
            block.report = [&veda = *arrays](Stats& stats) { veda.report(stats); };
            block.module = std::move(arrays);
            return block;
        };
        return plan;
    };
    return {"veda", LEVEE_BLOCK_VEDA, read};
}

} // namespace levee
