// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/sampling.hpp"

#include "core/config/reader.hpp"

namespace levee::config {

namespace {

std::vector<std::uint32_t> read_list(const Node& list, const std::string& path)
{
    std::vector<std::uint32_t> samples;
    for (const Node& item : list.items) {
        const QuantityResult index = parse_quantity(item.scalar, Dimension::Count);
        if (!item.is_scalar() || !index.error.empty() || index.value > 0xFFFF'FFFEu ||
            (!samples.empty() && index.value <= samples.back()))
            throw Error(item.place, "'" + path + "' has " +
                                        (item.is_scalar() ? "'" + item.scalar + "'"
                                                          : std::string(item.kind_name())) +
                                        " here; expected whole numbers from 0 in ascending order");
        samples.push_back(static_cast<std::uint32_t>(index.value));
    }
    return samples;
}

SampleConfig read_samples(MapReader& reader, const std::string& key, std::uint32_t otherwise)
{
    SampleConfig samples;
    const Node* node = reader.raw(key, false);
    samples.place = node ? node->place : reader.node().place;
    if (node && node->is_list()) {
        samples.list = read_list(*node, reader.path() + "." + key);
        if (samples.list.empty())
            throw reader.error(key, "is empty; expected a number of samples, or a list of them");
        return samples;
    }
    samples.count = reader.count32(key, {2}, otherwise);
    return samples;
}

} // namespace

std::optional<SamplingConfig> read_sampling(const Node& node)
{
    constexpr std::uint32_t steps = 64, chunks = 8;
    if (node.is_scalar() && node.scalar == "off")
        return std::nullopt;
    if (!node.is_map())
        throw Error(node.place, "'sampling' is " + std::string(node.kind_name()) +
                                    "; expected a map of 'steps' and 'chunks', or off");
    MapReader reader(node, "sampling");
    SamplingConfig config;
    config.place = node.place;
    config.steps = read_samples(reader, "steps", steps);
    config.chunks = read_samples(reader, "chunks", chunks);
    config.final_length =
        reader.choice<bool>("lengths", {{"growing", false}, {"final", true}}, false);
    reader.finish();
    return config;
}

} // namespace levee::config
