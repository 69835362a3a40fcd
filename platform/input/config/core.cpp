// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/core.hpp"

#include "core/config/reader.hpp"

namespace levee::config {

namespace {

riscv::CycleCosts read_costs(MapReader reader)
{
    riscv::CycleCosts costs;
    for (const riscv::CostClass& one : riscv::cost_classes)
        costs.*one.cost = reader.quantity32(one.name);
    reader.finish();
    return costs;
}

/// Reads a cache of the core. `data` selects the data cache, which also has the key
/// `coherence`.
std::optional<riscv::CacheConfig> read_cache(MapReader& core, const std::string& key, bool data)
{
    std::optional<MapReader> reader = core.map(key);
    if (!reader)
        return {};
    riscv::CacheConfig cache;
    cache.size_bytes = reader->quantity32("size");
    cache.line_bytes = reader->quantity32("line");
    cache.ways = reader->quantity32("ways");
    if (data)
        cache.snooped = reader->word<bool>("coherence");
    reader->finish();
    if (const auto problem = riscv::problem_of(cache))
        throw reader->error(problem->member, problem->text);
    return cache;
}

} // namespace

void read_core(MapReader reader, SystemConfig& system)
{
    riscv::CoreConfig& core = system.core;
    core.clock_hz = reader.quantity("clock");
    core.quantum_cycles = reader.quantity("quantum");
    core.misaligned_traps = reader.boolean("misaligned_traps");
    if (std::optional<MapReader> costs = reader.map("cycles"))
        core.costs = read_costs(*costs);
    core.icache = read_cache(reader, "icache", false);
    core.dcache = read_cache(reader, "dcache", true);
    system.timebase_hz = reader.quantity("timebase");
    reader.finish();
}

} // namespace levee::config
