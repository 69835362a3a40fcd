// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/dma/declaration.hpp"
#include "ip/dma/module.hpp"

namespace levee::dma {

namespace {

ComponentPlan read(config::MapReader& reader, const ComponentDefaults& defaults)
{
    dma::Config config;
    config.clock = read_clock(reader, defaults);
    config.bytes_per_cycle = reader.quantity32("bytes_per_cycle");
    config.queue = defaults.queue;
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, dma::declaration);
    plan.copies_bytes = true;
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        return component_of(std::make_unique<Dma>(name.c_str(), config, *around.fabric));
    };
    return plan;
}

const ComponentRegistration registration(dma::declaration, read);

} // namespace

} // namespace levee::dma
