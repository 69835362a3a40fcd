// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/sfu/declaration.hpp"
#include "ip/sfu/module.hpp"

namespace levee::sfu {

namespace {

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    sfu::Config config;
    config.clock = read_clock(reader, defaults);
    config.lanes = reader.quantity32("lanes");
    config.pipeline_cycles = reader.quantity32("pipeline_cycles");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, sfu::declaration);
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        auto unit = std::make_unique<sfu::Sfu>(name.c_str(), config, *around.fabric);
        sfu::Sfu& sfu = *unit;
        Component component = component_of(std::move(unit));
        component.observe_logits = [&sfu](LogitsSink sink) { sfu.on_logits(std::move(sink)); };
        return component;
    };
    return plan;
}

const ComponentRegistration registration(sfu::declaration, read);

} // namespace

} // namespace levee::sfu
