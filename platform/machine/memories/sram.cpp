// SPDX-License-Identifier: Apache-2.0
#include "ip/sram/module.hpp"
#include "platform/machine/memories/memory.hpp"

namespace levee {

namespace {

using config::Dimension;

MemoryPlan read_sram(config::MapReader& reader, MemoryPlace place)
{
    sram::Config config;
    config.size_bytes = reader.quantity("size", Dimension::Size, {4096, 0x2000'0000});
    config.bytes_per_second = reader.quantity("bandwidth", Dimension::Bandwidth, {1});
    config.latency = reader.quantity("latency", Dimension::Time);
    config.allow_dmi = place == MemoryPlace::TightlyCoupled;
    if (config.size_bytes % 4096 != 0)
        throw reader.error("size", "is no multiple of 4 KiB");
    MemoryPlan plan;
    plan.place = place;
    plan.size_bytes = config.size_bytes;
    plan.bytes_per_second = config.bytes_per_second;
    plan.parameters = {
        {"size", config::format_quantity(config.size_bytes, Dimension::Size)},
        {"bandwidth", config::format_quantity(config.bytes_per_second, Dimension::Bandwidth)},
        {"latency", config::format_quantity(config.latency, Dimension::Time)}};
    plan.make = [config](const std::string& name, std::uint32_t) {
        auto sram = std::make_unique<sram::Sram>(name.c_str(), config);
        Memory memory;
        memory.port = &sram->port;
        memory.load = [&s = *sram](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
            s.load(offset, bytes);
        };
        memory.report = [&s = *sram](Stats& stats) { s.report(stats); };
        memory.module = std::move(sram);
        return memory;
    };
    return plan;
}

} // namespace

MemoryType tcm_type()
{
    return {"tcm", [](config::MapReader& reader) {
                return read_sram(reader, MemoryPlace::TightlyCoupled);
            }};
}

MemoryType sram_type()
{
    return {"sram",
            [](config::MapReader& reader) { return read_sram(reader, MemoryPlace::OnChip); }};
}

} // namespace levee
