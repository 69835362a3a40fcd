// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/veda/declaration.hpp"
#include "ip/veda/module.hpp"
#include "ip/veda/pins.hpp"
#include "ip/veda/rtl.hpp"

#include <bit>

namespace levee::veda {

namespace {

/// Reads a size of an array, which must be a power of two so that the adder trees are complete.
std::uint32_t power_of_two(config::MapReader& reader, const std::string& key)
{
    const std::uint32_t value = reader.quantity32(key);
    if (reader.has(key) && !std::has_single_bit(value))
        throw reader.error(key, "is not a power of two; expected a number such as 2, 4 or 8");
    return value;
}

/// Reads `transpose:`, which exists only for arrays without outer products.
bool read_transposes(config::MapReader& reader, veda::Dataflow dataflow)
{
    if (dataflow == veda::Dataflow::AdderTree)
        return reader.boolean("transpose");
    if (reader.has("transpose"))
        throw reader.error("transpose", "has no effect without 'dataflow: adder_tree'; expected "
                                        "this dataflow, or no 'transpose'");
    return true;
}

std::string in_stages(const veda::ArrayShape& shape)
{
    return "multiplier " + std::to_string(shape.pipeline.multiplier) + ", tree " +
           std::to_string(shape.pipeline.tree) + ", rounding " +
           std::to_string(shape.pipeline.rounding);
}

/// Describes the properties in which designs can differ, for messages.
std::string in_words(const veda::ArrayShape& shape)
{
    return std::to_string(shape.arrays) + " arrays of " + std::to_string(shape.rows) + " x " +
           std::to_string(shape.columns) + " (stages: " + in_stages(shape) +
           "; partial sums: " + std::to_string(shape.partial_sums) + ")";
}

veda::Config read_config(config::MapReader& reader, const ComponentDefaults& defaults)
{
    veda::Config config;
    config.clock = read_clock(reader, defaults);
    config.arrays.arrays = power_of_two(reader, "arrays");
    config.arrays.rows = power_of_two(reader, "rows");
    config.arrays.columns = power_of_two(reader, "columns");
    config.arrays.pipeline = {.multiplier = reader.quantity32("multiplier_stages"),
                              .tree = reader.quantity32("tree_stages"),
                              .rounding = reader.quantity32("rounding_stages")};
    config.arrays.partial_sums = reader.quantity32("partial_sums");
    config.buffer_bytes = reader.quantity("buffer");
    config.dataflow = reader.word<veda::Dataflow>("dataflow");
    config.transposes = read_transposes(reader, config.dataflow);
    config.queue = defaults.queue;
    return config;
}

/// Reads `rtl:`. The default is a design of the configured size; a named design must have that
/// size.
const veda::Design& read_design(config::MapReader& reader, const veda::Config& config)
{
    const veda::Design* const design =
        fitting_design(reader, veda::designs(),
                       [&](const veda::Design& one) { return one.size == config.arrays; });
    if (!(design->size == config.arrays))
        throw reader.error("arrays", "does not fit the RTL, which has " + in_words(design->size) +
                                         "; expected that, or 'impl: tlm'");
    return *design;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    const veda::Config config = read_config(reader, defaults);
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, veda::declaration);
    plan.macs_per_second = std::uint64_t{config.arrays.arrays} * config.arrays.rows *
                           config.arrays.columns * config.clock.hz;
    plan_rtl<Veda, RtlCore>(plan, reader, defaults, config,
                            [&]() -> decltype(auto) { return read_design(reader, config); });
    return plan;
}

const ComponentRegistration registration(veda::declaration, read);

} // namespace

} // namespace levee::veda
