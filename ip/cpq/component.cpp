// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/cpq/declaration.hpp"
#include "ip/cpq/module.hpp"
#include "ip/cpq/pins.hpp"
#include "ip/cpq/rtl.hpp"

#include <algorithm>

namespace levee::cpq {

namespace {

/// Reads `rtl:`. The default is a design of the configured width; a named design must have that
/// width. The design must take as many cycles as the scenario configures for the block.
const cpq::Design& read_design(config::MapReader& reader, const cpq::Units& units)
{
    const cpq::Design* const design = fitting_design(
        reader, cpq::designs(), [&](const cpq::Design& one) { return one.size == units.width; });
    const auto need = [&](const char* key, std::uint64_t stated, std::uint64_t is) {
        if (stated != is)
            throw reader.error(key, "does not fit the RTL, which has " + std::to_string(is) +
                                        "; expected this value, or 'impl: tlm'");
    };
    need("width", units.width, design->size);
    need("prune_cycles", units.prune, cpq::prune_cycles);
    need("quantise_cycles", units.quantise, cpq::quantise_cycles);
    need("level_cycles", units.level, cpq::level_cycles);
    return *design;
}

ComponentPlan read_cpq(config::MapReader& reader, const ComponentDefaults& defaults)
{
    cpq::Config config;
    config.clock = read_clock(reader, defaults);
    config.units.width = reader.quantity32("width");
    config.units.prune = reader.quantity32("prune_cycles");
    config.units.quantise = reader.quantity32("quantise_cycles");
    config.units.dequantise = reader.quantity32("dequantise_cycles");
    config.units.level = reader.quantity32("level_cycles");
    config.sz_bytes = reader.quantity("sz_buffer");
    if (const std::optional<config::MapReader> expected = reader.map("expected"))
        config.expected = read_expected(*expected);
    if (reader.has("calibrate"))
        config.calibrate = reader.real("calibrate");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, cpq::declaration);
    plan_rtl<Cpq, RtlEngine>(plan, reader, defaults, config,
                             [&]() -> decltype(auto) { return read_design(reader, config.units); });
    return plan;
}

const ComponentRegistration registration_of_cpq(cpq::declaration, read_cpq);

} // namespace

} // namespace levee::cpq
