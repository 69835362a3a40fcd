// SPDX-License-Identifier: Apache-2.0
// Builds the crossbars from their keys in a scenario.
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
using config::MapReader;
using reram::AdcRange;
using reram::Mapping;

constexpr double most_off_code = 1e-6;                       // Tolerance for decimal fractions.
constexpr std::uint64_t most_cells = std::uint64_t{1} << 20; // Maximum cells of a crossbar.

void read_adc(MapReader reader, reram::Adc& adc)
{
    adc.bits = reader.quantity32("bits");
    adc.range = reader.word<AdcRange>("range");
    if (adc.range == AdcRange::Explicit) {
        adc.low = reader.real("low");
        adc.high = reader.real("high");
    }
    reader.finish();
    if (adc.range != AdcRange::Explicit)
        return;
    if (!(adc.high > 0))
        throw reader.error("high", "is 0; expected a number above 0");
    // Number of ADC codes below zero; there are 2^bits - 1 codes.
    const double below =
        -adc.low / (adc.high - adc.low) * (std::ldexp(1.0, static_cast<int>(adc.bits)) - 2);
    if (std::abs(below - std::round(below)) > most_off_code)
        throw reader.error(
            "low",
            "puts no code at a current of 0: " + std::to_string(below) +
                " steps from 'low' to 'high' are below 0; expected a whole number of steps, as "
                "with low = -high");
}

void read_drift(MapReader reader, reram::Disturbances& disturbances)
{
    disturbances.drift = reader.real("exponent");
    const auto age = static_cast<double>(reader.quantity("age"));
    const auto reference = static_cast<double>(reader.quantity("reference"));
    reader.finish();
    if (age < reference)
        throw reader.error("age", "is below 'reference', the age at which conductances have their "
                                  "programmed values; expected at least 'reference', or no drift");
    disturbances.drift_ratio = age / reference;
}

void read_disturbances(MapReader reader, reram::Disturbances& disturbances)
{
    disturbances.programming = reader.real("programming");
    disturbances.read = reader.real("read");
    disturbances.stuck = reader.real("stuck");
    disturbances.stuck_on = reader.real("stuck_on");
    disturbances.wire = reader.real("wire");
    const std::optional<MapReader> drift = reader.map("drift");
    reader.finish();
    if (drift)
        read_drift(*drift, disturbances);
}

reram::TimingConfig read_timing(MapReader& reader)
{
    reram::TimingConfig timing;
    timing.adcs = reader.quantity32("adcs");
    timing.pulse = reader.quantity("pulse");
    timing.conversion = reader.quantity("conversion");
    timing.vector = reader.quantity("vector");
    timing.write = reader.quantity("write");
    return timing;
}

reram::Config read_config(MapReader& reader, const ComponentDefaults& defaults)
{
    reram::Config config;
    reram::Crossbar& crossbar = config.array.crossbar;
    crossbar.rows = reader.quantity32("rows");
    crossbar.columns = reader.quantity32("columns");
    if (std::uint64_t{crossbar.rows} * crossbar.columns > most_cells)
        throw reader.error("columns",
                           "and 'rows' make " +
                               std::to_string(std::uint64_t{crossbar.rows} * crossbar.columns) +
                               " cells in a crossbar; expected at most 2^20 (larger matrices use "
                               "several crossbars)");
    config.array.units = reader.quantity32("units");
    crossbar.cell_bits = reader.quantity32("cell_bits");
    crossbar.mapping = reader.word<Mapping>("mapping");
    crossbar.on_off = reader.real("on_off");
    config.timing = read_timing(reader);
    config.array.endurance = reader.quantity("endurance");
    config.groups = reader.quantity32("groups");
    const std::optional<MapReader> adc = reader.map("adc"),
                                   disturbances = reader.map("disturbances");
    reader.finish();
    if (crossbar.on_off != 0 && crossbar.on_off <= 1)
        throw reader.error("on_off",
                           "is at most 1; expected more than 1, or 0 for an infinite ratio");
    const std::uint64_t bytes =
        std::uint64_t{config.array.units} * crossbar.rows * crossbar.columns;
    if (bytes > std::uint64_t{1} << 42 || bytes % 4096 != 0)
        throw reader.error("units", "makes " + std::to_string(bytes) +
                                        " elements in all; expected a multiple of 4096 of at most "
                                        "2^42");
    config.groups = std::min(config.groups, config.array.units);
    if (adc)
        read_adc(*adc, crossbar.adc);
    if (disturbances)
        read_disturbances(*disturbances, crossbar.disturbances);
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show(const MapReader& reader, const reram::Config& config)
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
    std::vector<Parameter> parameters = parameters_read(reader, reram::declaration);
    const Parameter derived[] = {
        {"crossbars a unit", std::to_string(crossbar.cells(8))},
        {"adc", adc()},
        {"vector of 8 bits", time(config.timing.product(7, crossbar.columns))},
        {"vector of 16 bits", time(config.timing.product(15, crossbar.columns))},
        {"disturbances", crossbar.disturbances.any() ? "by seed" : "none"}};
    parameters.insert(parameters.end(), std::begin(derived), std::end(derived));
    return parameters;
}

Component make(const std::string& name, const reram::Config& config, Fabric& fabric)
{
    return store_of(std::make_unique<reram::Reram>(name.c_str(), config, fabric));
}

ComponentPlan read(MapReader& reader, const ComponentDefaults& defaults)
{
    const reram::Config config = read_config(reader, defaults);
    const reram::Crossbar& crossbar = config.array.crossbar;
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OffChip;
    plan.placement.size_bytes =
        std::uint64_t{config.array.units} * crossbar.rows * crossbar.columns;
    plan.placement.bytes_per_second = ps_per_second / config.timing.pulse;
    plan.placement.written_by_address = false;
    plan.macs_per_second = static_cast<std::uint64_t>(
        static_cast<double>(plan.placement.size_bytes) * static_cast<double>(ps_per_second) /
        static_cast<double>(config.timing.product(7, crossbar.columns)));
    plan.parameters = show(reader, config);
    const auto placed = [config, place = reader.node().place, path = reader.path()](auto function) {
        return [=](std::span<const ModelMatrix> matrices, const auto& sink) {
            try {
                return function(config, matrices, sink);
            } catch (const std::logic_error& error) { // Thrown by the placer.
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
