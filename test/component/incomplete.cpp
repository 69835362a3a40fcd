// SPDX-License-Identifier: Apache-2.0
// A plug-in with component types that create less than they declare. Their key `makes` says how
// much they create.
#include "core/component/component.hpp"
#include "core/component/plugin.hpp"
#include "core/component/registry.hpp"

using namespace levee;

LEVEE_PLUGIN;

namespace {

struct Blank : sc_core::sc_module {
    TargetSocket port{"port"};

    explicit Blank(const sc_core::sc_module_name& name) : sc_module(name) {}
};

struct Order {
    std::uint64_t what;
};
constexpr Opcode opcodes[] = {{1, "ORDER"}};
constexpr Field fields[] = {LEVEE_FIELD(Order, what)};

constexpr Declaration blank{.type = "blank"};
constexpr Declaration block{.type = "blank_block",
                            .number = 0x7001,
                            .operation_bytes = sizeof(Order),
                            .opcodes = opcodes,
                            .fields = fields};
constexpr Declaration memory{.type = "blank_memory", .stores = true};

ComponentPlan read(config::MapReader& reader, const ComponentDefaults&)
{
    ComponentPlan plan;
    plan.placement.size_bytes = 4096;
    plan.placement.bytes_per_second = 1;
    plan.shares = reader.string("shares", "");
    plan.make = [makes = reader.string("makes")](const std::string& name, const ComponentContext&) {
        Component component;
        if (makes == "nothing")
            return component;
        auto module = std::make_unique<Blank>(name.c_str());
        if (makes == "storage")
            component.storage = &module->port;
        if (makes == "registers")
            component.registers = &module->port;
        component.module = std::move(module);
        return component;
    };
    return plan;
}

const ComponentRegistration of_blank(blank, read), of_block(block, read), of_memory(memory, read);

} // namespace
