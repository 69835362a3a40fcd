// SPDX-License-Identifier: Apache-2.0
// The voting engine in a system: from its keys in a scenario to its module.
#include "platform/machine/component/component.hpp"

#include "ip/voting_engine/declaration.hpp"
#include "ip/voting_engine/module.hpp"
#include "platform/machine/component/registry.hpp"

namespace levee {

namespace {

using voting_engine::Config;

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    Config config;
    config.clock = read_clock(reader, defaults);
    config.capacity = reader.count32("capacity", {1, 1u << 20});
    config.queue = queue_of(defaults, defaults.timing.evictor);
    ComponentPlan plan;
    plan.parameters = {
        {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
        {"capacity", std::to_string(config.capacity)}};
    plan.make = [config](const std::string& name, const Surroundings& around) {
        auto unit =
            std::make_unique<voting_engine::VotingEngine>(name.c_str(), config, *around.fabric);
        Component component;
        component.use(unit->queue);
        component.report = [&engine = *unit](Stats& stats) { engine.report(stats); };
        component.module = std::move(unit);
        return component;
    };
    return plan;
}

const ComponentRegistration registration(voting_engine::declaration, read);

} // namespace

} // namespace levee
