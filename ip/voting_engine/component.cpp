// SPDX-License-Identifier: Apache-2.0
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

/// Reads `rtl:`. The default is a design of the configured capacity; a named design must have that
/// capacity.
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

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    Config config;
    config.clock = read_clock(reader, defaults);
    config.capacity = reader.quantity32("capacity");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, voting_engine::declaration);
    plan_rtl<VotingEngine, RtlEngine>(plan, reader, defaults, config, [&]() -> decltype(auto) {
        return read_design(reader, config);
    });
    return plan;
}

const ComponentRegistration registration(voting_engine::declaration, read);

} // namespace

} // namespace levee::voting_engine
