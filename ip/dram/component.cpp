// SPDX-License-Identifier: Apache-2.0
// The DRAM in a system: from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/dram/datasheet_reader.hpp"
#include "ip/dram/declaration.hpp"
#include "ip/dram/keys.hpp"
#include "ip/dram/known_costs.hpp"
#include "ip/dram/module.hpp"
#include "ip/dram/parameters_reader.hpp"
#include "ip/dram/power.hpp"

#include <algorithm>
#include <cmath>

namespace levee::dram {

namespace {

using config::Dimension;
using config::MapReader;
using config::Node;

/// Size of the address range with `allow_overcommit`, as a multiple of the capacity. With 16 GB of
/// capacity, the range is enough for any model of 70 billion parameters and its cache.
constexpr std::uint64_t overcommitted_addresses = 64;

/// The refresh rate that the standard states; empty: it states none, and the interval is the
/// standard's.
std::string refresh_rate(const MapReader& reader)
{
    const Node* const standard = reader.node().find("standard");
    const Node* const rate = standard != nullptr ? standard->find("refresh_rate") : nullptr;
    return rate != nullptr ? rate->scalar : "";
}

std::string word_of(PriceMode mode)
{
    return std::ranges::find(price_words, static_cast<std::int64_t>(mode), &config::Word::value)
        ->text;
}

std::vector<Parameter> show(const MapReader& reader, const dram::Parameters& p, std::uint64_t peak)
{
    const dram::Organisation& o = p.organisation;
    std::vector<Parameter> shown = parameters_read(reader, dram::declaration);
    const Parameter derived[] = {
        {"standard", p.standard},
        {"capacity", config::format_quantity(o.capacity_bytes, Dimension::Size)},
        {"peak", config::format_quantity(peak, Dimension::Bandwidth)},
        {"channels", std::to_string(o.channels) + " x " + std::to_string(o.data_bits) + " bit at " +
                         config::format_quantity(o.data_rate, Dimension::TransferRate)},
        {"banks",
         std::to_string(p.banks_per_rank()) + " in each of " + std::to_string(o.ranks) + " ranks"},
        {"refresh", p.refresh == dram::RefreshMode::PerBank ? "per_bank" : "all_bank"}};
    shown.insert(shown.begin(), std::begin(derived), std::end(derived));
    if (const std::string rate = refresh_rate(reader); !rate.empty())
        shown.push_back({"refresh_rate", rate});
    if (p.controller.prices != dram::PriceMode::Automatic)
        shown.push_back({"prices", word_of(p.controller.prices)});
    return shown;
}

CommandPrices prices(const dram::Datasheet& datasheet, const dram::Parameters& parameters)
{
    const dram::CommandEnergies all = dram::command_energies(datasheet, parameters);
    const auto price = [](const EnergyEvent& event, const dram::CommandEnergy& energy) {
        return EventPrice{&event, energy.zeptojoules, energy.count};
    };
    CommandPrices result(
        {price(dram::activate_event, all.activate), price(dram::precharge_event, all.precharge),
         price(dram::read_burst_event, all.read_burst),
         price(dram::write_burst_event, all.write_burst), price(dram::refresh_event, all.refresh),
         price(dram::active_standby_event, all.active_standby),
         price(dram::idle_standby_event, all.idle_standby),
         price(dram::self_refresh_event, all.self_refresh)});
    const auto millionths = [](double factor) {
        return static_cast<std::uint64_t>(
            std::llround(factor * static_cast<double>(CommandPrices::whole)));
    };
    result.assumed = datasheet.assumed;
    result.low = millionths(datasheet.low);
    result.high = millionths(datasheet.high);
    return result;
}

/// Adds the counts that price lists by command need.
void count_commands(Component& component, dram::Dram& dram)
{
    component.flow_observer = &dram.stream_activity();
    component.commands = [&dram](Direction direction, const AccessPattern& pattern,
                                 std::uint64_t bytes) {
        return std::vector<CountedEvent>{
            {direction == Direction::Read ? &dram::read_burst_event : &dram::write_burst_event,
             dram.bursts().count(pattern, bytes)}};
    };
    const auto enable = [&dram] { dram.stream_activity().enable(); };
    const auto rows = [&dram] { return dram.rows_opened(); };
    const auto active = [&dram] { return dram.stream_activity().active(now_ps()); };
    const auto asleep = [&dram] { return dram.self_refreshed(); };
    component.background = {{"refresh", &dram::refresh_event, [&dram] { return dram.refreshes(); }},
                            {"rows", &dram::activate_event, rows, enable},
                            {"rows", &dram::precharge_event, rows, enable},
                            {"background", &dram::active_standby_event, active, enable},
                            {"background", &dram::idle_standby_event,
                             [active, asleep] { return now_ps() - active() - asleep(); }, enable},
                            {"background", &dram::self_refresh_event, asleep}};
}

ComponentPlan read(MapReader& reader, const ComponentDefaults&)
{
    dram::Config config;
    const std::string path = reader.path() + ".standard";
    if (const Node* standard = reader.raw("standard", true))
        config.parameters = config::read_dram_parameters(*standard, path);
    if (std::optional<MapReader> pauses = reader.map("self_refresh")) {
        config.self_refresh.after = pauses->quantity("after");
        config.self_refresh.exit =
            pauses->has("exit") ? pauses->quantity("exit") : config.parameters.timing.rfc_all;
        pauses->finish();
    }
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OffChip;
    plan.placement.size_bytes = config.parameters.organisation.capacity_bytes;
    if (reader.boolean("allow_overcommit")) {
        plan.placement.installed_bytes = plan.placement.size_bytes;
        plan.placement.size_bytes = config.address_bytes =
            overcommitted_addresses * plan.placement.size_bytes;
    }
    plan.placement.cacheable = true;
    plan.placement.bytes_per_second =
        static_cast<std::uint64_t>(config.parameters.peak_bytes_per_s());
    plan.parameters = show(reader, config.parameters, plan.placement.bytes_per_second);
    plan.price_commands = [parameters = config.parameters](const Node& datasheets,
                                                           const std::string& where) {
        return prices(config::read_dram_datasheet(datasheets, where, parameters.standard),
                      parameters);
    };
    plan.make = [config, by_schedule = path + ".controller.prices=by_schedule"](
                    const std::string& name, const ComponentContext&) {
        auto dram = std::make_unique<dram::Dram>(name.c_str(), config);
        Component component;
        component.use(*dram);
        component.report = [&d = *dram](Stats& stats) { d.report(stats); };
        component.caveat = [&d = *dram, by_schedule] { return d.caveat(by_schedule); };
        count_commands(component, *dram);
        component.module = std::move(dram);
        return component;
    };
    return plan;
}

/// Costs of mixes of streams, shared between processes: a cost is the same wherever it is computed.
constexpr SharedResults costs{[] { (void)dram::share_costs(); },
                              [] { return dram::share_costs().added(); },
                              [](std::string_view bytes) { dram::share_costs().take(bytes); }};

const ComponentRegistration registration(dram::declaration, read, costs);

} // namespace

} // namespace levee::dram
