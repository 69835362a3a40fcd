// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/systolic_evictor/declaration.hpp"
#include "ip/systolic_evictor/module.hpp"
#include "ip/systolic_evictor/pins.hpp"
#include "ip/systolic_evictor/rtl.hpp"

namespace levee::systolic_evictor {

namespace {

using kv_tables::Ties;
using systolic_evictor::Config;
using systolic_evictor::Design;

Config read_config(config::MapReader& reader, const ComponentDefaults& defaults)
{
    Config config;
    config.clock = read_clock(reader, defaults);
    config.rows = reader.quantity32("rows");
    config.scores_per_cycle = reader.quantity32("scores_per_cycle");
    config.ties = reader.word<Ties>("ties");
    config.queue = defaults.queue;
    return config;
}

/// Reads `rtl:`. The default is the shipped design. The design must support the block's
/// configuration.
const Design& read_design(config::MapReader& reader, const Config& config)
{
    const std::span<const Design> designs = systolic_evictor::designs();
    const Design* const design = named_design(reader, designs, designs.data());
    if (config.rows != design->size)
        throw reader.error("rows", "does not fit the RTL, whose tiles have " +
                                       std::to_string(design->size) +
                                       " rows; expected that, or 'impl: tlm'");
    if (config.scores_per_cycle != 1)
        throw reader.error(
            "scores_per_cycle",
            "does not fit the RTL, which takes one score a cycle; expected 1, or 'impl: tlm'");
    if (config.ties != Ties::Slot)
        throw reader.error("ties", "does not fit the RTL, whose rows compare only importance; "
                                   "expected slot, or 'impl: tlm'");
    return *design;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    const Config config = read_config(reader, defaults);
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, systolic_evictor::declaration);
    plan_rtl<SystolicEvictor, RtlEngine>(plan, reader, defaults, config, [&]() -> decltype(auto) {
        return read_design(reader, config);
    });
    return plan;
}

const ComponentRegistration registration(systolic_evictor::declaration, read);

} // namespace

} // namespace levee::systolic_evictor
