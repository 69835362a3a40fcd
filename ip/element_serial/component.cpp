// SPDX-License-Identifier: Apache-2.0
// The element-serial unit in a system: from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/element_serial/declaration.hpp"
#include "ip/element_serial/module.hpp"
#include "ip/element_serial/pins.hpp"
#include "ip/element_serial/rtl.hpp"

namespace levee::element_serial {

namespace {

/// Reads `rtl:`, by default a design with the configured FIFO; a named one must have it.
const element_serial::Design& read_design(config::MapReader& reader,
                                          const element_serial::Config& config)
{
    const element_serial::Design* const design =
        fitting_design(reader, element_serial::designs(), [&](const element_serial::Design& one) {
            return one.size.tile == config.tile;
        });
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
    if (design != nullptr) {
        core = std::make_unique<element_serial::RtlCore>(name, design->make, mode);
        core->set_clock(config.clock);
    }
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
    config.tile = reader.quantity32("tile");
    config.queue = defaults.queue;
    const element_serial::Design* design = nullptr;
    ComponentPlan plan;
    plan.has_rtl = true;
    plan.has_rtl_cycle = true;
    plan.parameters = parameters_read(reader, element_serial::declaration);
    if (defaults.implementation != Implementation::Tlm) {
        design = with_assertions(reader, read_design(reader, config));
        plan.parameters.emplace_back("rtl", design->name);
    }
    plan.make = [config, design, mode = rtl_mode(defaults)](const std::string& name,
                                                            const ComponentContext& around) {
        return make_unit(name, *around.fabric, config, design, mode);
    };
    return plan;
}

const ComponentRegistration registration(element_serial::declaration, read);

} // namespace

} // namespace levee::element_serial
