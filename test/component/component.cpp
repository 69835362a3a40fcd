// SPDX-License-Identifier: Apache-2.0
// The component type `tally`: its keys in a scenario, its plan and its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "test/component/module.hpp"

namespace levee::tally {

namespace {

using config::Dimension;

Component make(const std::string& name, const tally::Config& config, Fabric& fabric)
{
    auto module = std::make_unique<tally::Tally>(name.c_str(), config, fabric);
    tally::Tally& tally = *module;
    Component component;
    component.use(tally.queue);
    component.use(tally);
    component.background.push_back({"scrub", &tally::scrub_event,
                                    [&tally] { return tally.scrubbed_rows() * tally::row_bytes; }});
    component.inside = tally.inside();
    component.report = [&tally](Stats& stats) { tally.report(stats); };
    component.module = std::move(module);
    return component;
}

/// Time for which a row keeps its bits.
constexpr std::uint64_t hold_ps = 1'000'000;

std::vector<std::string> caveats(const tally::Config& config, const CaveatInputs& inputs)
{
    if (config.scrub_interval <= hold_ps || (inputs.roles & LEVEE_ROLE_KV) == 0)
        return {};
    return {"is scrubbed every " + config::format_quantity(config.scrub_interval, Dimension::Time) +
            ", its rows hold for " + config::format_quantity(hold_ps, Dimension::Time)};
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    tally::Config config;
    config.clock = read_clock(reader, defaults);
    config.size_bytes = reader.quantity("size");
    config.bytes_per_second = reader.quantity("bandwidth");
    config.latency = reader.quantity("latency");
    config.scrub_interval = reader.quantity("scrub");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OnChip;
    plan.placement.size_bytes = config.size_bytes;
    plan.placement.bytes_per_second = config.bytes_per_second;
    plan.macs_per_second = config.clock.hz;
    plan.parameters = parameters_read(reader, tally::declaration);
    plan.caveats = [config](const CaveatInputs& inputs) { return caveats(config, inputs); };
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        return make(name, config, *around.fabric);
    };
    return plan;
}

const ComponentRegistration registration(tally::declaration, read);

} // namespace

} // namespace levee::tally
