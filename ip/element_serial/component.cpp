// SPDX-License-Identifier: Apache-2.0
// The element-serial unit in a system: from its keys in a scenario to its module.
#include "platform/machine/component/component.hpp"

#include "ip/element_serial/declaration.hpp"
#include "ip/element_serial/designs.hpp"
#include "ip/element_serial/module.hpp"
#include "ip/element_serial/rtl.hpp"
#include "platform/machine/component/registry.hpp"

#include <algorithm>

namespace levee {

namespace {

/// Reads `rtl:`, by default a design with the configured FIFO; a named one must have it.
const element_serial::Design& read_design(config::MapReader& reader,
                                          const element_serial::Config& config)
{
    const std::span<const element_serial::Design> designs = element_serial::designs();
    std::vector<std::pair<std::string, const element_serial::Design*>> words;
    for (const element_serial::Design& design : designs)
        words.emplace_back(design.name, &design);
    const auto same = std::find_if(designs.begin(), designs.end(), [&](const auto& design) {
        return design.size.tile == config.tile;
    });
    const auto* const otherwise = same != designs.end() ? &*same : designs.data();
    const auto* const design =
        reader.choice<const element_serial::Design*>("rtl", words, otherwise);
    if (design->size.tile != config.tile)
        throw reader.error("tile", "does not fit the RTL, whose FIFO has " +
                                       std::to_string(design->size.tile) +
                                       " elements; expected that, or 'impl: tlm'");
    return *design;
}

/// `design`: used instead of the reference; null: the reference.
Component make_unit(const std::string& name, Fabric& fabric, const element_serial::Config& config,
                    const element_serial::Design* design, RtlMode mode)
{
    std::unique_ptr<element_serial::RtlCore> core;
    if (design != nullptr)
        core = std::make_unique<element_serial::RtlCore>(name, design->make, mode);
    Component component;
    component.rtl = core.get();
    auto unit = std::make_unique<element_serial::ElementSerial>(name.c_str(), config, fabric,
                                                                std::move(core));
    component.use(unit->queue);
    component.report = [&serial = *unit](Stats& stats) { serial.report(stats); };
    component.module = std::move(unit);
    return component;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    element_serial::Config config;
    config.clock = read_clock(reader, defaults);
    config.tile = reader.count32("tile", {2, 1024});
    config.queue = queue_of(defaults, defaults.timing.function_unit);
    const element_serial::Design* design = nullptr;
    ComponentPlan plan;
    plan.has_rtl = true;
    plan.parameters = {
        {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
        {"tile", std::to_string(config.tile)}};
    if (defaults.implementation != Implementation::Tlm) {
        design = &read_design(reader, config);
        plan.parameters.emplace_back("rtl", design->name);
    }
    const RtlMode mode =
        defaults.implementation == Implementation::Lockstep ? RtlMode::Lockstep : RtlMode::Rtl;
    plan.make = [config, design, mode](const std::string& name, const Surroundings& around) {
        return make_unit(name, *around.fabric, config, design, mode);
    };
    return plan;
}

const ComponentRegistration registration(element_serial::declaration, read);

} // namespace

} // namespace levee
