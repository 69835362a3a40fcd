// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/sram/declaration.hpp"
#include "ip/sram/module.hpp"

namespace levee::sram {

namespace {

ComponentPlan read(config::MapReader& reader, MemoryPlace place)
{
    sram::Config config;
    config.size_bytes = reader.pages("size");
    config.bytes_per_second = reader.quantity("bandwidth");
    config.latency = reader.quantity("latency");
    config.allow_dmi = place == MemoryPlace::TightlyCoupled;
    ComponentPlan plan;
    plan.placement.place = place;
    plan.placement.size_bytes = config.size_bytes;
    plan.placement.bytes_per_second = config.bytes_per_second;
    plan.placement.ports = reader.quantity32("ports");
    plan.placement.cacheable = place == MemoryPlace::OnChip;
    plan.parameters = parameters_read(reader, sram::declaration);
    plan.make = [config](const std::string& name, const ComponentContext&) {
        auto sram = std::make_unique<sram::Sram>(name.c_str(), config);
        Component component;
        component.use(*sram);
        component.report = [&s = *sram](Stats& stats) { s.report(stats); };
        component.module = std::move(sram);
        return component;
    };
    return plan;
}

ComponentPlan read_tcm(config::MapReader& reader, const ComponentDefaults&)
{
    return read(reader, MemoryPlace::TightlyCoupled);
}

ComponentPlan read_sram(config::MapReader& reader, const ComponentDefaults&)
{
    return read(reader, MemoryPlace::OnChip);
}

const ComponentRegistration tcm_registration(sram::tcm_declaration, read_tcm);
const ComponentRegistration sram_registration(sram::declaration, read_sram);

} // namespace

} // namespace levee::sram
