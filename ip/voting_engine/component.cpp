// SPDX-License-Identifier: Apache-2.0
// The voting engine in a system: from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/voting_engine/declaration.hpp"
#include "ip/voting_engine/module.hpp"
#include "ip/voting_engine/pins.hpp"
#include "ip/voting_engine/rtl.hpp"

namespace levee::voting_engine {

namespace {

using voting_engine::Config;
using voting_engine::Design;
using voting_engine::RtlEngine;

/// Reads `rtl:`, by default a design of the configured capacity; a named one must have that.
const Design& read_design(config::MapReader& reader, const Config& config)
{
    const Design* const design =
        fitting_design(reader, voting_engine::designs(),
                       [&](const Design& one) { return one.size == config.capacity; });
    if (design->size != config.capacity)
        throw reader.error("capacity", "does not fit the RTL, which has " +
                                           std::to_string(design->size) +
                                           "; expected that, or 'impl: tlm'");
    return *design;
}

/// `design`: used instead of the reference; null: the reference.
Component make_engine(const std::string& name, Fabric& fabric, const Config& config,
                      const Design* design, RtlEngine::Mode mode)
{
    std::unique_ptr<RtlEngine> engine;
    if (design != nullptr) {
        engine = std::make_unique<RtlEngine>(name, design->make, mode);
        engine->set_clock(config.clock);
    }
    Component component;
    component.rtl = engine.get();
    auto unit = std::make_unique<voting_engine::VotingEngine>(name.c_str(), config, fabric,
                                                              std::move(engine));
    component.use(unit->queue);
    component.report = [&voting = *unit](Stats& stats) { voting.report(stats); };
    component.module = std::move(unit);
    return component;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    Config config;
    config.clock = read_clock(reader, defaults);
    config.capacity = reader.quantity32("capacity");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, voting_engine::declaration);
    const Design* design = nullptr;
    plan.has_rtl = true;
    plan.has_rtl_cycle = true;
    if (defaults.implementation != Implementation::Tlm) {
        design = with_assertions(reader, read_design(reader, config));
        plan.parameters.emplace_back("rtl", design->name);
    }
    plan.make = [config, design, mode = rtl_mode(defaults)](const std::string& name,
                                                            const ComponentContext& around) {
        return make_engine(name, *around.fabric, config, design, mode);
    };
    return plan;
}

const ComponentRegistration registration(voting_engine::declaration, read);

} // namespace

} // namespace levee::voting_engine
