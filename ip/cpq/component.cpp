// SPDX-License-Identifier: Apache-2.0
// The compression block in a system: from its keys in a scenario to its module.
#include "platform/machine/component/component.hpp"

#include "ip/cpq/declaration.hpp"
#include "ip/cpq/module.hpp"
#include "platform/machine/component/registry.hpp"

namespace levee {

namespace {

cpq::Expected read_expected(const config::Node& node)
{
    config::MapReader reader(node, "expected");
    cpq::Expected expected;
    expected.pruned = reader.real("pruned", 0.0, 1.0);
    expected.zero = reader.real("zero", 0.0, 1.0);
    expected.levels = reader.count32("levels", {1, cpq::most_levels});
    if (expected.zero < expected.pruned)
        throw reader.error("zero", "is less than 'pruned', which counts in it");
    reader.finish();
    return expected;
}

ComponentPlan read_cpq(config::MapReader& reader, const ComponentDefaults& defaults)
{
    constexpr config::Limits cycles{1, 1u << 16};
    cpq::Config config;
    config.clock = read_clock(reader, defaults);
    config.units.width = reader.count32("width", {1, 1u << 16});
    config.units.prune = reader.count32("prune_cycles", cycles);
    config.units.quantise = reader.count32("quantise_cycles", cycles);
    config.units.dequantise = reader.count32("dequantise_cycles", cycles);
    config.units.level = reader.count32("level_cycles", cycles);
    config.sz_bytes = reader.quantity("sz_buffer", config::Dimension::Size, {1, 1ull << 40});
    if (const config::Node* const node = reader.raw("expected", false))
        config.expected = read_expected(*node);
    config.queue = queue_of(defaults, defaults.timing.evictor);
    ComponentPlan plan;
    plan.parameters = {
        {"clock", config::format_quantity(config.clock.hz, config::Dimension::Frequency)},
        {"width", std::to_string(config.units.width)},
        {"prune_cycles", std::to_string(config.units.prune)},
        {"quantise_cycles", std::to_string(config.units.quantise)},
        {"dequantise_cycles", std::to_string(config.units.dequantise)},
        {"level_cycles", std::to_string(config.units.level)},
        {"sz_buffer", config::format_quantity(config.sz_bytes, config::Dimension::Size)}};
    plan.make = [config](const std::string& name, const Surroundings& around) {
        auto module = std::make_unique<cpq::Cpq>(name.c_str(), config, *around.fabric);
        Component component;
        component.use(module->queue);
        component.report = [&unit = *module](Stats& stats) { unit.report(stats); };
        component.module = std::move(module);
        return component;
    };
    return plan;
}

const ComponentRegistration registration_of_cpq(cpq::declaration, read_cpq);

} // namespace

} // namespace levee
