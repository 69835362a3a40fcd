// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/sampling.hpp"

#include "core/config/reader.hpp"
#include "platform/input/config/sampling_keys.hpp"

namespace levee::config {

namespace {

std::vector<std::uint32_t> read_list(const Node& list, const std::string& path)
{
    std::vector<std::uint32_t> samples;
    for (const Node& item : list.items) {
        const QuantityResult index = parse_quantity(item.scalar, Dimension::Count);
        if (!item.is_scalar() || item.quoted || !index.error.empty() ||
            index.value > sample_index_form[0].limits.most ||
            (!samples.empty() && index.value <= samples.back()))
            throw Error(item.place, "'" + path + "' has " +
                                        (item.is_scalar() ? "'" + item.scalar + "'"
                                                          : std::string(item.kind_name())) +
                                        " here; expected whole numbers from 0 in ascending order");
        samples.push_back(static_cast<std::uint32_t>(index.value));
    }
    return samples;
}

/// Reads a number of samples, or a list. `count` declares the number.
SampleConfig read_samples(MapReader& reader, const Key& count)
{
    const std::string key = count.name;
    SampleConfig samples;
    const Node* node = reader.raw(key, false);
    samples.place = node ? node->place : reader.node().place;
    if (node && node->is_list()) {
        samples.list = read_list(*node, reader.path() + "." + key);
        if (samples.list.empty())
            throw reader.error(key, "is empty; expected a number of samples, or a list of them");
        return samples;
    }
    samples.count = reader.as(count).quantity32(key);
    return samples;
}

} // namespace

std::optional<SamplingConfig> read_sampling(const Node& node)
{
    if (node.is_scalar() && node.scalar == sampling_off_words[0].text)
        return std::nullopt;
    if (!node.is_map())
        throw Error(node.place, "'sampling' is " + std::string(node.kind_name()) +
                                    "; expected a map of 'steps', 'chunks' and 'layers', or off");
    MapReader reader(node, "sampling", sampling_keys);
    SamplingConfig config;
    config.place = node.place;
    config.steps = read_samples(reader, steps_forms[0]);
    config.chunks = read_samples(reader, chunks_forms[0]);
    config.layers = reader.quantity32("layers");
    config.final_length = reader.word<bool>("lengths");
    reader.finish();
    return config;
}

} // namespace levee::config
