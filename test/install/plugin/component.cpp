// SPDX-License-Identifier: Apache-2.0
// The argmax unit in a system: from its keys in a scenario to its module.
#include "platform/machine/component/component.hpp"

#include "module.hpp"
#include "platform/machine/component/plugin.hpp"
#include "platform/machine/component/registry.hpp"

using namespace levee;

LEVEE_PLUGIN;

namespace {

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    argmax::Config config;
    config.clock = read_clock(reader, defaults);
    config.lanes = reader.count32("lanes", {1, 1024});
    config.queue = queue_of(defaults, true);
    ComponentPlan plan;
    plan.parameters = {{"lanes", std::to_string(config.lanes)}};
    plan.make = [config](const std::string& name, const Surroundings& around) {
        auto module = std::make_unique<argmax::Argmax>(name.c_str(), config, *around.fabric);
        Component component;
        component.use(module->queue);
        component.report = [&unit = *module](Stats& stats) { unit.report(stats); };
        component.module = std::move(module);
        return component;
    };
    return plan;
}

const ComponentRegistration registration(argmax::declaration, read);

} // namespace
