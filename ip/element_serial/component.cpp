// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/element_serial/declaration.hpp"
#include "ip/element_serial/module.hpp"
#include "ip/element_serial/pins.hpp"
#include "ip/element_serial/rtl.hpp"

namespace levee::element_serial {

namespace {

/// Reads `rtl:`. The default is a design with the configured FIFO size; a named design must have
/// this size.
const element_serial::Design& read_design(config::MapReader& reader,
                                          const element_serial::Config& config)
{
    const element_serial::Design* const design =
        fitting_design(reader, element_serial::designs(), [&](const element_serial::Design& one) {
            return one.size.tile == config.tile;
        });
    if (design->size.tile != config.tile)
        throw reader.error("tile", "does not fit the RTL, whose FIFO has " +
                                       std::to_string(design->size.tile) +
                                       " elements; expected this number, or 'impl: tlm'");
    return *design;
}

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    element_serial::Config config;
    config.clock = read_clock(reader, defaults);
    config.tile = reader.quantity32("tile");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, element_serial::declaration);
    plan_rtl<ElementSerial, RtlCore>(plan, reader, defaults, config, [&]() -> decltype(auto) {
        return read_design(reader, config);
    });
    return plan;
}

const ComponentRegistration registration(element_serial::declaration, read);

} // namespace

} // namespace levee::element_serial
