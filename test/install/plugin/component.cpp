// SPDX-License-Identifier: Apache-2.0
// The argmax unit in a system, from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/plugin.hpp"
#include "core/component/registry.hpp"
#include "module.hpp"

using namespace levee;

LEVEE_PLUGIN;

namespace {

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    argmax::Config config;
    config.clock = read_clock(reader, defaults);
    config.lanes = reader.quantity32("lanes");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, argmax::declaration);
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        return component_of(std::make_unique<argmax::Argmax>(name.c_str(), config, *around.fabric));
    };
    return plan;
}

const ComponentRegistration registration(argmax::declaration, read);

} // namespace
