// SPDX-License-Identifier: Apache-2.0
// The compression block in a system: from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/cpq/declaration.hpp"
#include "ip/cpq/module.hpp"
#include "ip/cpq/pins.hpp"
#include "ip/cpq/rtl.hpp"

#include <algorithm>

namespace levee::cpq {

namespace {

/// Reads `rtl:`, by default a design of the configured width; a named one must have that, and its
/// cycles must be the block's.
const cpq::Design& read_design(config::MapReader& reader, const cpq::Units& units)
{
    const cpq::Design* const design = fitting_design(
        reader, cpq::designs(), [&](const cpq::Design& one) { return one.size == units.width; });
    const auto need = [&](const char* key, std::uint64_t stated, std::uint64_t is) {
        if (stated != is)
            throw reader.error(key, "does not fit the RTL, which has " + std::to_string(is) +
                                        "; expected that, or 'impl: tlm'");
    };
    need("width", units.width, design->size);
    need("prune_cycles", units.prune, cpq::prune_cycles);
    need("quantise_cycles", units.quantise, cpq::quantise_cycles);
    need("level_cycles", units.level, cpq::level_cycles);
    return *design;
}

/// `design`: used instead of the reference; null: the reference.
Component make_cpq(const std::string& name, Fabric& fabric, const cpq::Config& config,
                   const cpq::Design* design, RtlMode mode)
{
    std::unique_ptr<cpq::RtlEngine> engine;
    if (design != nullptr) {
        engine = std::make_unique<cpq::RtlEngine>(name, design->make, mode);
        engine->set_clock(config.clock);
    }
    Component component;
    component.rtl = engine.get();
    auto module = std::make_unique<cpq::Cpq>(name.c_str(), config, fabric, std::move(engine));
    component.use(module->queue);
    component.report = [&unit = *module](Stats& stats) { unit.report(stats); };
    component.module = std::move(module);
    return component;
}

ComponentPlan read_cpq(config::MapReader& reader, const ComponentDefaults& defaults)
{
    cpq::Config config;
    config.clock = read_clock(reader, defaults);
    config.units.width = reader.quantity32("width");
    config.units.prune = reader.quantity32("prune_cycles");
    config.units.quantise = reader.quantity32("quantise_cycles");
    config.units.dequantise = reader.quantity32("dequantise_cycles");
    config.units.level = reader.quantity32("level_cycles");
    config.sz_bytes = reader.quantity("sz_buffer");
    if (const std::optional<config::MapReader> expected = reader.map("expected"))
        config.expected = read_expected(*expected);
    if (reader.has("calibrate"))
        config.calibrate = reader.real("calibrate");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, cpq::declaration);
    plan.has_rtl = true;
    plan.has_rtl_cycle = true;
    const cpq::Design* design = nullptr;
    if (defaults.implementation != Implementation::Tlm) {
        design = with_assertions(reader, read_design(reader, config.units));
        plan.parameters.emplace_back("rtl", design->name);
    }
    const auto mode = rtl_mode(defaults);
    plan.make = [config, design, mode](const std::string& name, const ComponentContext& around) {
        return make_cpq(name, *around.fabric, config, design, mode);
    };
    return plan;
}

const ComponentRegistration registration_of_cpq(cpq::declaration, read_cpq);

} // namespace

} // namespace levee::cpq
