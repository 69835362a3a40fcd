// SPDX-License-Identifier: Apache-2.0
// A plug-in with modules of the TLM-2.0 base protocol behind adapters. The modules are memories and
// an initiator.
#include "core/component/component.hpp"
#include "core/component/plugin.hpp"
#include "core/component/registry.hpp"
#include "core/flow/base_protocol.hpp"
#include "test/support/foreign/initiators.hpp"
#include "test/support/foreign/memories.hpp"

using namespace levee;

LEVEE_PLUGIN;

namespace {

constexpr EnergyEvent events[] = {read_event, write_event};
constexpr Declaration loosely{.type = "lt_memory", .stores = true, .events = events};
constexpr Declaration approximately{.type = "at_memory", .stores = true, .events = events};

constexpr Declaration traffic{.type = "at_traffic"};

/// An initiator that reads words one after the other.
struct Traffic : sc_core::sc_module {
    FromBaseProtocol<> border{"border"};
    foreign::AtInitiator initiator{"initiator"};

    Traffic(const sc_core::sc_module_name& name, std::uint64_t from, std::uint32_t words)
        : sc_module(name)
    {
        initiator.socket.bind(border.port);
        for (std::uint32_t i = 0; i < words; ++i)
            initiator.accesses.push_back({tlm::TLM_READ_COMMAND, from + 4 * i, 0});
    }
};

ComponentPlan read_traffic(config::MapReader& reader, const ComponentDefaults&)
{
    const std::uint64_t from = reader.count("from", {0, UINT64_MAX});
    const std::uint32_t words = reader.count32("words", {1, 1024});
    ComponentPlan plan;
    plan.make = [=](const std::string& name, const ComponentContext&) {
        auto module = std::make_unique<Traffic>(name.c_str(), from, words);
        Component component;
        component.memory = &module->border.bus;
        component.report = [&initiator = module->initiator](Stats& stats) {
            std::uint64_t good = 0;
            for (const foreign::AtAccess& access : initiator.accesses)
                good += access.status == tlm::TLM_OK_RESPONSE ? 1 : 0;
            stats.add("good", good);
            stats.add("faults", std::uint64_t{initiator.faults});
        };
        component.module = std::move(module);
        return component;
    };
    return plan;
}

template <typename Memory> struct Behind : sc_core::sc_module {
    ToBaseProtocol<> border;
    Memory memory;

    template <typename... Times>
    Behind(const sc_core::sc_module_name& name, const BaseTargetConfig& config, Times... times)
        : sc_module(name), border("border", config),
          memory("memory", config.bytes, config.burst_bytes, times...)
    {
        border.memory.bind(memory.socket);
    }
};

template <typename Memory> Component use(std::unique_ptr<Behind<Memory>> module)
{
    Component component;
    component.storage = &module->border.port;
    component.report = [&border = module->border](Stats& stats) { border.report(stats); };
    component.caveat = [&border = module->border] { return border.caveat(); };
    component.load = [&cells = module->memory.cells](std::uint64_t offset,
                                                     std::span<const std::uint8_t> bytes) {
        std::copy(bytes.begin(), bytes.end(),
                  cells.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    };
    component.module = std::move(module);
    return component;
}

sc_core::sc_time time(std::uint64_t ps)
{
    return sc_core::sc_time::from_value(ps);
}

ComponentPlan read(config::MapReader& reader, bool approximate)
{
    using config::Dimension;
    const std::uint64_t bytes = reader.pages("size", {4096, 0x1000'0000});
    const std::uint32_t burst = reader.count32("burst", {1, 4096});
    const std::uint64_t latency = reader.quantity("latency", Dimension::Time);
    ComponentPlan plan;
    plan.placement.size_bytes = bytes;
    plan.placement.bytes_per_second =
        burst * 1'000'000'000'000 / std::max<std::uint64_t>(1, latency);
    plan.make = [=](const std::string& name, const ComponentContext& around) {
        const BaseTargetConfig config{bytes, burst, false, around.fabric->data, name};
        return approximate ? use(std::make_unique<Behind<foreign::AtMemory>>(
                                 name.c_str(), config, time(latency / 4), time(latency * 3 / 4)))
                           : use(std::make_unique<Behind<foreign::LtMemory<>>>(name.c_str(), config,
                                                                               time(latency)));
    };
    return plan;
}

const ComponentRegistration of_lt(loosely, [](config::MapReader& reader, const ComponentDefaults&) {
    return read(reader, false);
});
const ComponentRegistration of_traffic(traffic, read_traffic);
const ComponentRegistration of_at(approximately,
                                  [](config::MapReader& reader, const ComponentDefaults&) {
                                      return read(reader, true);
                                  });

} // namespace
