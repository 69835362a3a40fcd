// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/module.hpp"
#include "platform/input/config/dram_parameters.hpp"
#include "platform/machine/memories/memory.hpp"

namespace levee {

namespace {

using config::Dimension;
using config::MapReader;
using config::Node;

/// With `allow_overcommit`, addresses for each byte that is installed: enough for any model of 70
/// billion parameters with its cache in 16 GB.
constexpr std::uint64_t overcommitted_addresses = 64;

std::vector<Parameter> show(const dram::Parameters& p, std::uint64_t peak)
{
    const dram::Organisation& o = p.organisation;
    return {
        {"standard", p.standard},
        {"capacity", config::format_quantity(o.capacity_bytes, Dimension::Size)},
        {"peak", config::format_quantity(peak, Dimension::Bandwidth)},
        {"channels", std::to_string(o.channels) + " x " + std::to_string(o.data_bits) + " bit at " +
                         config::format_quantity(o.data_rate, Dimension::TransferRate)},
        {"banks",
         std::to_string(p.banks_per_rank()) + " in each of " + std::to_string(o.ranks) + " ranks"},
        {"refresh", p.refresh == dram::RefreshMode::PerBank ? "per_bank" : "all_bank"}};
}

MemoryPlan read_dram(MapReader& reader)
{
    dram::Config config;
    const std::string path = reader.path() + ".standard";
    if (const Node* standard = reader.raw("standard", true))
        config.parameters = config::read_dram_parameters(*standard, path);
    MemoryPlan plan;
    plan.place = MemoryPlace::OffChip;
    plan.size_bytes = config.parameters.organisation.capacity_bytes;
    if (reader.boolean("allow_overcommit", false)) {
        plan.installed_bytes = plan.size_bytes;
        plan.size_bytes = config.address_bytes = overcommitted_addresses * plan.size_bytes;
    }
    plan.bytes_per_second = static_cast<std::uint64_t>(config.parameters.peak_bytes_per_s());
    plan.parameters = show(config.parameters, plan.bytes_per_second);
    plan.make = [config](const std::string& name, std::uint32_t) {
        auto dram = std::make_unique<dram::Dram>(name.c_str(), config);
        Memory memory;
        memory.port = &dram->port;
        memory.load = [&d = *dram](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
            d.load(offset, bytes);
        };
        memory.report = [&d = *dram](Stats& stats) { d.report(stats); };
        memory.module = std::move(dram);
        return memory;
    };
    return plan;
}

} // namespace

MemoryType dram_type()
{
    return {"dram", read_dram};
}

} // namespace levee
