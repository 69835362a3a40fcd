// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/core.hpp"

#include "core/config/reader.hpp"

namespace levee::config {

namespace {

constexpr std::uint64_t max_hertz = 0xFFFF'FFFF; // boot_info has 32 bits for it

riscv::CycleCosts read_costs(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    riscv::CycleCosts costs;
    const std::vector<std::pair<std::string, std::uint32_t*>> classes{
        {"alu", &costs.alu},
        {"mul", &costs.mul},
        {"div", &costs.div},
        {"load", &costs.load},
        {"store", &costs.store},
        {"branch", &costs.branch},
        {"branch_taken", &costs.branch_taken},
        {"jump", &costs.jump},
        {"csr", &costs.csr},
        {"amo", &costs.amo},
        {"fence_i", &costs.fence_i},
        {"system", &costs.system},
        {"trap", &costs.trap},
        {"misaligned", &costs.misaligned}};
    for (const auto& [name, cost] : classes)
        *cost = reader.count32(name, {1, 65535}, *cost);
    reader.finish();
    return costs;
}

/// A cache of the core; `data`: it can be kept coherent.
std::optional<riscv::CacheConfig> read_cache(MapReader& core, const std::string& key, bool data)
{
    const Node* const node = core.raw(key, false);
    if (node == nullptr)
        return {};
    MapReader reader(*node, core.path() + "." + key);
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;
    riscv::CacheConfig cache;
    cache.size_bytes =
        static_cast<std::uint32_t>(reader.quantity("size", Dimension::Size, {1, most_bytes}));
    cache.line_bytes =
        static_cast<std::uint32_t>(reader.quantity("line", Dimension::Size, {1, most_bytes}));
    cache.ways = reader.count32("ways", {1, 64});
    if (data)
        cache.snooped =
            reader.choice<bool>("coherence", {{"snooped", true}, {"software", false}}, true);
    reader.finish();
    if (const auto problem = riscv::problem_of(cache))
        throw reader.error(problem->member, problem->text);
    return cache;
}

} // namespace

void read_core(const Node& node, const std::string& path, SystemConfig& system)
{
    MapReader reader(node, path);
    riscv::CoreConfig& core = system.core;
    core.clock_hz = reader.quantity("clock", Dimension::Frequency, {1, max_hertz});
    core.quantum_cycles = reader.count("quantum", {1, 1'000'000'000}, core.quantum_cycles);
    core.misaligned_traps = reader.boolean("misaligned_traps", core.misaligned_traps);
    if (const Node* costs = reader.raw("cycles", false))
        core.costs = read_costs(*costs, path + ".cycles");
    core.icache = read_cache(reader, "icache", false);
    core.dcache = read_cache(reader, "dcache", true);
    system.timebase_hz = reader.quantity("timebase", Dimension::Frequency, {1, max_hertz});
    reader.finish();
}

} // namespace levee::config
