// SPDX-License-Identifier: Apache-2.0
// The element-serial unit in a system: from its keys in a scenario to its module.
#include "platform/machine/component/component.hpp"

#include "ip/element_serial/declaration.hpp"
#include "ip/element_serial/module.hpp"
#include "platform/machine/component/registry.hpp"

namespace levee {

namespace {

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    element_serial::Config config;
    config.clock = read_clock(reader, defaults);
    config.tile = reader.count32("tile", {2, 1024});
    config.queue = queue_of(defaults, defaults.timing.function_unit);
    ComponentPlan plan;
    plan.parameters = {
        {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
        {"tile", std::to_string(config.tile)}};
    plan.make = [config](const std::string& name, const Surroundings& around) {
        auto unit =
            std::make_unique<element_serial::ElementSerial>(name.c_str(), config, *around.fabric);
        Component component;
        component.use(unit->queue);
        component.report = [&serial = *unit](Stats& stats) { serial.report(stats); };
        component.module = std::move(unit);
        return component;
    };
    return plan;
}

const ComponentRegistration registration(element_serial::declaration, read);

} // namespace

} // namespace levee
