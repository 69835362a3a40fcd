// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/cim_macro/declaration.hpp"
#include "ip/cim_macro/module.hpp"
#include "ip/cim_macro/pins.hpp"
#include "ip/cim_macro/rtl.hpp"

#include <algorithm>

namespace levee::cim_macro {

namespace {

using MacroDesign = cim_macro::Design;

/// Finds the RTL design with the configured shape.
const MacroDesign& read_macro_design(config::MapReader& reader, const cim_macro::Shape& shape)
{
    const MacroDesign* const design = fitting_design(
        reader, cim_macro::designs(), [&](const MacroDesign& one) { return one.size == shape; });
    if (design->size != shape)
        throw reader.error("inputs", "and 'outputs' do not fit the RTL, which has " +
                                         std::to_string(design->size.inputs) + " and " +
                                         std::to_string(design->size.outputs) +
                                         "; expected these values, or 'impl: tlm'");
    return *design;
}

ComponentPlan read_macro(config::MapReader& reader, const ComponentDefaults& defaults)
{
    cim_macro::Config config;
    config.clock = read_clock(reader, defaults);
    config.shape = {reader.quantity32("inputs"), reader.quantity32("outputs")};
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, cim_macro::declaration);
    plan_rtl<CimMacro, RtlEngine>(plan, reader, defaults, config, [&]() -> decltype(auto) {
        return read_macro_design(reader, config.shape);
    });
    return plan;
}

const ComponentRegistration macro_registration(cim_macro::declaration, read_macro);

} // namespace

} // namespace levee::cim_macro
