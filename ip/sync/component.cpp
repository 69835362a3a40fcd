// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/component/keys.hpp"
#include "core/component/registry.hpp"
#include "ip/sync/declaration.hpp"
#include "ip/sync/module.hpp"
#include "ip/sync/regs.h"

namespace levee::sync {

namespace {

ComponentPlan read(config::MapReader& reader, const ComponentDefaults&)
{
    sync::Config config;
    config.counters = reader.quantity32("counters");
    ComponentPlan plan;
    plan.parameters = parameters_read(reader, sync::declaration);
    plan.make = [config](const std::string& name, const ComponentContext&) {
        auto unit = std::make_unique<sync::Sync>(name.c_str(), config);
        Component component;
        component.registers = &unit->registers;
        component.on_interrupt = &unit->on_interrupt;
        component.register_file = &unit->register_file();
        component.counters = unit.get();
        component.module = std::move(unit);
        return component;
    };
    return plan;
}

const ComponentRegistration registration(sync::declaration, read);

} // namespace

} // namespace levee::sync
