// SPDX-License-Identifier: Apache-2.0
#include "ip/sync/module.hpp"
#include "ip/sync/regs.h"
#include "platform/machine/blocks/block.hpp"

namespace levee {

BlockType sync_type()
{
    const auto read = [](config::MapReader& reader, const BlockDefaults&) {
        sync::Config config;
        config.counters = reader.count32("counters", {1, LEVEE_SYNC_MAX_COUNTERS});
        BlockPlan plan;
        plan.parameters = {{"counters", std::to_string(config.counters)}};
        plan.make = [config](const std::string& name, Fabric*) {
            auto unit = std::make_unique<sync::Sync>(name.c_str(), config);
            Block block;
            block.registers = &unit->registers;
            block.on_interrupt = &unit->on_interrupt;
            block.register_file = &unit->register_file();
            block.counters = unit.get();
            block.module = std::move(unit);
            return block;
        };
        return plan;
    };
    return {"sync", LEVEE_BLOCK_SYNC, read};
}

} // namespace levee
