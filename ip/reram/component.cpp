// SPDX-License-Identifier: Apache-2.0
// Crossbars in a system: from their keys in a scenario to the module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/reram/declaration.hpp"
#include "ip/reram/module.hpp"
#include "ip/reram/normal.hpp"
#include "ip/reram/placing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace levee::reram {

namespace {

using config::Dimension;
using config::Error;
using config::Limits;
using config::MapReader;
using config::Node;
using reram::AdcRange;
using reram::Mapping;

constexpr Limits up_to_a_second{1, 1'000'000'000'000};
constexpr double most_off_code = 1e-6;                       // of decimal fractions
constexpr std::uint64_t most_cells = std::uint64_t{1} << 20; // of a crossbar
constexpr Limits up_to_90_days{0, 8'000'000'000'000'000'000};

void read_adc(const Node& node, const std::string& path, reram::Adc& adc)
{
    MapReader reader(node, path);
    adc.bits = reader.count32("bits", {2, 24});
    adc.range = reader.choice<AdcRange>(
        "range",
        {{"full", AdcRange::Full}, {"unit", AdcRange::Unit}, {"explicit", AdcRange::Explicit}},
        AdcRange::Full);
    if (adc.range == AdcRange::Explicit) {
        adc.low = reader.real("low", -1e6, 0);
        adc.high = reader.real("high", 0, 1e6);
    }
    reader.finish();
    if (adc.range != AdcRange::Explicit)
        return;
    if (!(adc.high > 0))
        throw reader.error("high", "is 0; expected more");
    // Codes below zero, of 2^bits - 1 in all.
    const double below =
        -adc.low / (adc.high - adc.low) * (std::ldexp(1.0, static_cast<int>(adc.bits)) - 2);
    if (std::abs(below - std::round(below)) > most_off_code)
        throw reader.error(
            "low", "puts no code at 0: of the steps from 'low' to 'high' " + std::to_string(below) +
                       " are below it; expected a whole number, as with low = -high");
}

void read_drift(const Node& node, const std::string& path, reram::Disturbances& disturbances)
{
    MapReader reader(node, path);
    disturbances.drift = reader.real("exponent", 0, 1);
    const auto age = static_cast<double>(reader.quantity("age", Dimension::Time, up_to_90_days));
    const auto reference =
        static_cast<double>(reader.quantity("reference", Dimension::Time, {1, up_to_90_days.most}));
    reader.finish();
    if (age < reference)
        throw reader.error("age", "is below 'reference', where conductances are what was "
                                  "programmed; expected at least that, or no drift");
    disturbances.drift_ratio = age / reference;
}

void read_disturbances(const Node& node, const std::string& path, reram::Disturbances& disturbances)
{
    MapReader reader(node, path);
    disturbances.programming = reader.real("programming", 0, 1, 0);
    disturbances.read = reader.real("read", 0, 1, 0);
    disturbances.stuck = reader.real("stuck", 0, 1, 0);
    disturbances.stuck_on = reader.real("stuck_on", 0, 1, 0.5);
    disturbances.wire = reader.real("wire", 0, 1, 0);
    const Node* const drift = reader.raw("drift", false);
    reader.finish();
    if (drift != nullptr)
        read_drift(*drift, path + ".drift", disturbances);
}

reram::TimingConfig read_timing(MapReader& reader)
{
    reram::TimingConfig timing;
    timing.adcs = reader.count32("adcs", {1, 1 << 16});
    timing.pulse = reader.quantity("pulse", Dimension::Time, up_to_a_second);
    timing.conversion = reader.quantity("conversion", Dimension::Time, up_to_a_second);
    timing.vector = reader.quantity("vector", Dimension::Time, {0, up_to_a_second.most}, 0);
    timing.write = reader.quantity("write", Dimension::Time, up_to_a_second);
    return timing;
}

reram::Config read_config(MapReader& reader, const ComponentDefaults& defaults)
{
    reram::Config config;
    reram::Crossbar& crossbar = config.array.crossbar;
    crossbar.rows = reader.count32("rows", {1, 1 << 14});
    crossbar.columns = reader.count32("columns", {1, 1 << 14});
    if (std::uint64_t{crossbar.rows} * crossbar.columns > most_cells)
        throw reader.error("columns",
                           "and 'rows' make " +
                               std::to_string(std::uint64_t{crossbar.rows} * crossbar.columns) +
                               " cells of a crossbar; expected at most 2^20 (larger "
                               "matrices lie in several)");
    config.array.units = reader.count32("units", {1, 1 << 24});
    crossbar.cell_bits = reader.count32("cell_bits", {1, 8});
    crossbar.mapping = reader.choice<Mapping>(
        "mapping", {{"differential", Mapping::Differential}, {"offset", Mapping::Offset}});
    crossbar.on_off = reader.real("on_off", 0, 1e9, 0);
    config.timing = read_timing(reader);
    config.array.endurance = reader.count("endurance", {}, 0);
    config.groups = reader.count32("groups", {1, 64}, 8);
    const Node* const adc = reader.raw("adc", false);
    const Node* const disturbances = reader.raw("disturbances", false);
    reader.finish();
    if (crossbar.on_off != 0 && crossbar.on_off <= 1)
        throw reader.error("on_off", "is at most 1; expected more, or 0 for infinite");
    const std::uint64_t bytes =
        std::uint64_t{config.array.units} * crossbar.rows * crossbar.columns;
    if (bytes > std::uint64_t{1} << 42 || bytes % 4096 != 0)
        throw reader.error("units", "makes " + std::to_string(bytes) +
                                        " elements in all; expected a multiple of 4096 of at most "
                                        "2^42");
    config.groups = std::min(config.groups, config.array.units);
    if (adc != nullptr)
        read_adc(*adc, reader.path() + ".adc", crossbar.adc);
    if (disturbances != nullptr)
        read_disturbances(*disturbances, reader.path() + ".disturbances", crossbar.disturbances);
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show(const reram::Config& config)
{
    const reram::Crossbar& crossbar = config.array.crossbar;
    const auto time = [](std::uint64_t ps) { return config::format_quantity(ps, Dimension::Time); };
    const auto adc = [&] {
        std::array<char, 64> text{};
        const char* const range = crossbar.adc.range == AdcRange::Full   ? "full range"
                                  : crossbar.adc.range == AdcRange::Unit ? "unit steps"
                                                                         : "explicit range";
        std::snprintf(text.data(), text.size(), "%u bits, %s", crossbar.adc.bits, range);
        return std::string(crossbar.adc.bits == 0 ? "ideal" : text.data());
    };
    const bool differential = crossbar.mapping == Mapping::Differential;
    return {{"rows", std::to_string(crossbar.rows)},
            {"columns", std::to_string(crossbar.columns)},
            {"units", std::to_string(config.array.units)},
            {"crossbars a unit", std::to_string(crossbar.cells(8))},
            {"cell_bits", std::to_string(crossbar.cell_bits)},
            {"mapping", differential ? "differential" : "offset"},
            {"adcs", std::to_string(config.timing.adcs)},
            {"adc", adc()},
            {"vector of 8 bits", time(config.timing.product(7, crossbar.columns))},
            {"vector of 16 bits", time(config.timing.product(15, crossbar.columns))},
            {"write", time(config.timing.write)},
            {"disturbances", crossbar.disturbances.any() ? "by seed" : "none"}};
}

Component make(const std::string& name, const reram::Config& config, Fabric& fabric)
{
    Component component;
    auto module = std::make_unique<reram::Reram>(name.c_str(), config, fabric);
    reram::Reram& reram = *module;
    component.use(reram.queue);
    component.storage = &reram.port;
    component.load = [&reram](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        reram.load(offset, bytes);
    };
    component.inside = reram.inside();
    component.report = [&reram](Stats& stats) { reram.report(stats); };
    component.module = std::move(module);
    return component;
}

ComponentPlan read(MapReader& reader, const ComponentDefaults& defaults)
{
    const reram::Config config = read_config(reader, defaults);
    const reram::Crossbar& crossbar = config.array.crossbar;
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OffChip;
    plan.placement.size_bytes =
        std::uint64_t{config.array.units} * crossbar.rows * crossbar.columns;
    plan.placement.bytes_per_second = 1'000'000'000'000 / config.timing.pulse;
    plan.placement.written_by_address = false;
    plan.macs_per_second =
        static_cast<std::uint64_t>(static_cast<double>(plan.placement.size_bytes) * 1e12 /
                                   static_cast<double>(config.timing.product(7, crossbar.columns)));
    plan.parameters = show(config);
    const auto placed = [config, place = reader.node().place, path = reader.path()](auto function) {
        return [=](std::span<const ModelMatrix> matrices, const auto& sink) {
            try {
                return function(config, matrices, sink);
            } catch (const std::logic_error& error) { // of the placer
                throw Error(place, "'" + path + "' " + error.what());
            }
        };
    };
    plan.keep = placed(reram::keep);
    plan.take_in = placed(reram::take_in);
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        reram::Config seeded = config;
        seeded.array.seed = around.seed;
        return make(name, seeded, *around.fabric);
    };
    return plan;
}

const ComponentRegistration registration(reram::declaration, read);

} // namespace

} // namespace levee::reram
