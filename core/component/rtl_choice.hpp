// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/component.hpp"
#include "core/component/keys.hpp"
#include "core/component/plan.hpp"
#include "core/rtl/build/build.hpp"
#include "core/rtl/lockstep.hpp"
#include "core/rtl/rtl_pins.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace levee {

/// The RTL mode for an `impl` other than TLM.
[[nodiscard]] inline RtlMode rtl_mode(const ComponentDefaults& defaults)
{
    switch (defaults.implementation) {
    case Implementation::Lockstep:
        return RtlMode::Lockstep;
    case Implementation::RtlCycle:
        return RtlMode::Cycle;
    default:
        return RtlMode::Rtl;
    }
}

/// Builds the user's design that `node` describes (docs/own_rtl.md), for a block with the pins of
/// `like`, or takes it from the cache. Throws config::Error.
template <typename Ports>
[[nodiscard]] const RtlChoice<Ports>* own_design(const config::Node& node,
                                                 const RtlChoice<Ports>& like)
{
    static std::deque<RtlChoice<Ports>> built; // Blocks use its elements until the program ends.
    const own_rtl::Description description = own_rtl::read_description(node);
    const RtlModel<Ports>& model =
        own_rtl::load_model<Ports>(description, *like.source, own_rtl::Flavour::Fast);
    return &built.emplace_back(
        RtlChoice<Ports>{description.name, model.size, model.make, nullptr, like.source});
}

/// The design that `rtl` names or describes, or `otherwise` if it is not given. Throws
/// config::Error for an unknown name.
template <typename Design>
[[nodiscard]] const Design* named_design(config::MapReader& reader, std::span<const Design> designs,
                                         const Design* otherwise)
{
    if (const config::Node* const node = reader.raw("rtl", false);
        node != nullptr && node->is_map())
        return own_design(*node, designs.front());
    std::vector<std::pair<std::string, const Design*>> words;
    for (const Design& design : designs)
        words.emplace_back(design.name, &design);
    return reader.choice<const Design*>("rtl", words, otherwise);
}

/// Returns the variant of `design` with assertions and cover points, for a block whose scenario
/// says `assertions: true`. Throws config::Error if `design` was not built with them.
template <typename Design>
[[nodiscard]] const Design* checked_design(const config::MapReader& reader, const Design& design)
{
    if (design.make_checked == nullptr)
        throw reader.error("assertions", "must be false: the design was built without them");
    static std::deque<Design> checked; // Blocks use its elements until the program ends.
    checked.push_back(design);
    checked.back().make = design.make_checked;
    return &checked.back();
}

/// Reads `assertions`: returns the checked design if true, otherwise the design itself.
template <typename Design>
[[nodiscard]] const Design* with_assertions(config::MapReader& reader, const Design& design)
{
    return reader.boolean(assertions_key.name) ? checked_design(reader, design) : &design;
}

/// The design that `rtl` names or describes. Without `rtl`, it is the first design that `fits` the
/// configuration, or the first of all if none does.
template <typename Design, typename Fits>
[[nodiscard]] const Design* fitting_design(config::MapReader& reader,
                                           std::span<const Design> designs, Fits fits)
{
    const auto found = std::ranges::find_if(designs, fits);
    return named_design(reader, designs, found != designs.end() ? &*found : designs.data());
}

/// Completes the plan of a block that runs its reference or, depending on `impl`, the design from
/// choose(). Its Module takes a name, configuration, fabric and an Engine, which is null for the
/// reference. The plan already has its parameters.
template <typename Module, typename Engine, typename Config, typename Choose>
void plan_rtl(ComponentPlan& plan, config::MapReader& reader, const ComponentDefaults& defaults,
              const Config& config, Choose choose)
{
    const std::remove_cvref_t<decltype(choose())>* design = nullptr;
    if (defaults.implementation != Implementation::Tlm) {
        design = with_assertions(reader, choose());
        plan.parameters.emplace_back("rtl", design->name);
    }
    plan.has_rtl = plan.has_rtl_cycle = true;
    plan.make = [config, design, mode = rtl_mode(defaults)](const std::string& name,
                                                            const ComponentContext& around) {
        std::unique_ptr<Engine> engine;
        if (design != nullptr) {
            engine = std::make_unique<Engine>(name, design->make, mode);
            engine->set_clock(config.clock);
        }
        RtlStatus* const rtl = engine.get();
        Component component = component_of(
            std::make_unique<Module>(name.c_str(), config, *around.fabric, std::move(engine)));
        component.rtl = rtl;
        return component;
    };
}

} // namespace levee
