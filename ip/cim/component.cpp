// SPDX-License-Identifier: Apache-2.0
// Builds the cores of compute-in-memory macros from their keys in a scenario.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "core/component/rtl_choice.hpp"
#include "ip/cim/declaration.hpp"
#include "ip/cim/kept_matrices.hpp"
#include "ip/cim/module.hpp"
#include "ip/cim_macro/pins.hpp"
#include "ip/cim_macro/rtl.hpp"

#include <cmath>

namespace levee::cim {

namespace {

using config::Dimension;
using config::Error;
using config::MapReader;

/// Reads the keys of a unit. A unit without keys has the count 0.
cim::Unit read_unit(MapReader& cim, const char* key, const char* elements)
{
    cim::Unit unit{.count = 0};
    if (std::optional<MapReader> reader = cim.map(key)) {
        unit.count = reader->quantity32("units");
        unit.elements = reader->quantity32(elements);
        unit.cycles = reader->quantity32("cycles");
        reader->finish();
    }
    return unit;
}

void read_macros(MapReader& cim, cim::Units& units)
{
    if (std::optional<MapReader> macro = cim.map("macro")) {
        units.macro_inputs = macro->quantity32("inputs");
        units.macro_outputs = macro->quantity32("outputs");
        units.macro_cycles = macro->quantity32("cycles");
        macro->finish();
    }
    units.accumulator_cycles = cim.quantity32("accumulator_cycles");
}

double bits_per_cycle(MapReader& reader, const char* key, const Clock& clock)
{
    return static_cast<double>(reader.quantity(key)) * 8 / static_cast<double>(clock.hz);
}

cim::Units read_cores(MapReader& reader, const Clock& clock)
{
    cim::Units units;
    units.hidden = reader.quantity32("hidden");
    units.feed_forward = reader.quantity32("feed_forward");
    read_macros(reader, units);
    units.keys = read_unit(reader, "key_engines", "lanes");
    units.values = read_unit(reader, "value_engines", "lanes");
    units.softmax = read_unit(reader, "softmax", "elements");
    units.norm = read_unit(reader, "norm", "elements");
    units.activation = read_unit(reader, "activation", "elements");
    units.pruning = read_unit(reader, "pruning", "elements");
    units.quantisation = read_unit(reader, "quantisation", "elements");
    units.dequantisation = read_unit(reader, "dequantisation", "elements");
    units.rotation = read_unit(reader, "rotation", "elements");
    units.global_buffer_bytes = reader.quantity("global_buffer");
    units.scale_buffer_bytes = reader.quantity("scale_buffer");
    units.scale_bits = reader.quantity32("scale_bits");
    units.buffer_bits_per_cycle = bits_per_cycle(reader, "buffer_bandwidth", clock);
    units.off_chip_bits_per_cycle = bits_per_cycle(reader, "off_chip_bandwidth", clock);
    return units;
}

cim::Reading read_reading(MapReader& cim)
{
    cim::Reading reading;
    std::optional<MapReader> own = cim.map("reading");
    if (!own)
        return reading;
    MapReader& reader = *own;
    reading.sample_prompt = reader.quantity32("sample_prompt");
    reading.sample_generated = reader.quantity32("sample_generated");
    reading.log_block = reader.quantity32("log_block");
    reading.off_chip_factor = reader.real("off_chip_factor");
    const std::pair<const char*, bool*> choices[] = {
        {"operands_awaited", &reading.operands_awaited},
        {"off_chip_timed", &reading.off_chip_timed},
        {"labels_needed", &reading.labels_needed},
        {"quantiser_once", &reading.quantiser_once},
        {"dequantises_codes", &reading.dequantises_codes},
        {"own_beats", &reading.own_beats},
        {"projections_beside", &reading.projections_beside},
        {"inputs_once", &reading.inputs_once},
        {"buffers_read", &reading.buffers_read},
        {"buffer_holds_its_size", &reading.buffer_holds_its_size}};
    for (const auto& [key, value] : choices)
        *value = reader.boolean(key);
    reader.finish();
    if (reading.log_block != 0 && reading.sample() == 0)
        throw reader.error("log_block", "rounds the cycles of a sample, but there is no sample; "
                                        "expected 0, or 'sample_prompt' and 'sample_generated'");
    if (reading.off_chip_factor != 1 && reading.off_chip_timed)
        throw reader.error("off_chip_factor",
                           "has no effect when off-chip transfers are timed; expected 1, "
                           "or 'off_chip_timed: false'");
    return reading;
}

void read_levels(std::vector<MapReader>& entries, cim::Statistics& statistics)
{
    for (MapReader& one : entries) {
        const std::uint32_t tokens = one.quantity32("tokens");
        const std::uint32_t levels = one.quantity32("levels");
        one.finish();
        if (!statistics.levels.empty() && tokens <= statistics.levels.back().first)
            throw one.error("tokens", "is " + std::to_string(tokens) +
                                          "; expected more than in the previous entry");
        statistics.levels.emplace_back(tokens, levels);
    }
}

std::optional<cim::Statistics> read_statistics(MapReader& cim)
{
    std::optional<MapReader> own = cim.map("compression");
    if (!own)
        return std::nullopt;
    MapReader& reader = *own;
    cim::Statistics statistics;
    cim::Compression& compression = statistics.compression;
    compression.pruned = reader.real("pruned");
    compression.zeros = reader.real("zeros");
    compression.restored = reader.real("restored");
    if (compression.zeros < compression.pruned)
        throw reader.error(
            "zeros",
            "is less than 'pruned'; expected at least 'pruned', as pruned elements are zeros");
    const double key = reader.real("key_bits"), value = reader.real("value_bits");
    compression.bits = (key + value) / 2;
    std::vector<MapReader> levels = reader.maps("levels");
    reader.finish();
    if (levels.empty())
        throw reader.error("levels", "is empty; expected a list of {tokens, levels}");
    read_levels(levels, statistics);
    return statistics;
}

/// Reads the RTL design that multiplies, by default Titanus's macro. Returns null for the
/// reference.
const cim_macro::Design* read_macro_rtl(MapReader& reader, const ComponentDefaults& defaults)
{
    if (defaults.implementation == Implementation::Tlm)
        return nullptr;
    const std::span<const cim_macro::Design> designs = cim_macro::designs();
    return with_assertions(reader, *named_design(reader, designs, designs.data()));
}

std::unique_ptr<cim_macro::RtlEngine>
make_macro_rtl(const std::string& name, const cim_macro::Design* design, Implementation how)
{
    if (design == nullptr)
        return nullptr;
    const RtlMode mode = how == Implementation::Lockstep ? RtlMode::Lockstep : RtlMode::Rtl;
    return std::make_unique<cim_macro::RtlEngine>(name, design->make, mode);
}

cim::Config read_cim_config(MapReader& reader, const ComponentDefaults& defaults)
{
    cim::Config config;
    config.clock = read_clock(reader, defaults);
    config.cores = reader.quantity32("cores");
    config.units = read_cores(reader, config.clock);
    config.pipeline = reader.word<cim::Pipeline>("pipeline");
    config.input_bytes = reader.word<std::uint32_t>("input");
    if (config.input_bytes == 2) // Inputs are bit-serial, so twice the bits take twice the cycles.
        config.units.macro_cycles *= 2;
    config.reading = read_reading(reader);
    config.statistics = read_statistics(reader);
    if (const std::optional<MapReader> expected = reader.map("expected"))
        config.expected = cpq::read_expected(*expected);
    reader.finish();
    if (const std::uint64_t most = std::uint64_t{1} << 44; config.bytes() > most)
        throw reader.error("cores", "gives " + std::to_string(config.bytes()) +
                                        " bytes of weights in all cores; expected at most 16 TiB");
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show_cores(const MapReader& reader, const cim::Config& config)
{
    const cim::Units& units = config.units;
    const auto all = [&](std::uint64_t of_a_core) {
        return std::to_string(of_a_core * config.cores);
    };
    std::vector<Parameter> parameters = parameters_read(reader, cim::declaration);
    const Parameter derived[] = {
        {"size", config::format_quantity(config.bytes(), Dimension::Size)},
        {"macros", all(units.macros())},
        {"accumulators", all(units.accumulators())},
        {"engines", all(units.keys.count + units.values.count)},
        {"softmax_units", all(units.softmax.count)},
        {"norm_units", all(std::uint64_t{2} * units.norm.count)},
        {"activation_units", all(units.activation.count)},
        {"pruning_units", all(units.pruning.count)},
        {"quantisation_units", all(units.quantisation.count)},
        {"dequantisation_units", all(units.dequantisation.count)},
        {"reading", config.reading.sample() != 0 ? "sample" : "own contexts"}};
    parameters.insert(parameters.end(), std::begin(derived), std::end(derived));
    return parameters;
}

Component make_cores(const std::string& name, const cim::Config& config, Fabric& fabric,
                     std::unique_ptr<cim_macro::RtlEngine> macro)
{
    if (macro != nullptr)
        macro->set_clock(config.clock);
    RtlStatus* const rtl = macro.get();
    Component component =
        store_of(std::make_unique<cim::Cim>(name.c_str(), config, fabric, std::move(macro)));
    component.rtl = rtl;
    return component;
}

/// Returns a warning if sequences are longer than the last length in the statistics of levels;
/// otherwise empty.
std::string beyond_levels(const cim::Config& config, std::uint32_t length)
{
    if (!config.statistics || config.statistics->levels.empty())
        return {};
    const auto& [most, levels] = config.statistics->levels.back();
    if (length <= most)
        return {};
    return "assumes " + std::to_string(levels) + " levels of quantisation for up to " +
           std::to_string(length) +
           " tokens; add an entry for them to 'compression.levels', which ends at " +
           std::to_string(most);
}

/// Returns warnings about the results: weight loading is not counted, or the scenario's `reading`
/// describes no real machine.
std::vector<std::string> caveats_of(const cim::Config& config, const CaveatInputs& inputs)
{
    std::vector<std::string> caveats;
    if (inputs.has_prices)
        caveats.emplace_back("has its weights in the macros before the run: energy includes "
                             "loading them only if the price list has a price for 'loaded'");
    const cim::Reading& reading = config.reading;
    if (reading.sample() != 0)
        caveats.push_back(
            "gives each token the time and energy of a sample of " +
            std::to_string(reading.sample()) +
            " tokens, whatever its context. This reproduces published figures, not a real machine. "
            "Their energy covers only the cores, but also prompt tokens: compare it with energy." +
            inputs.name + "_j / " + inputs.name + ".tokens, not with the run's tokens/J");
    if (const std::string beyond = beyond_levels(config, inputs.most_tokens); !beyond.empty())
        caveats.push_back(beyond);
    if (!reading.off_chip_timed)
        caveats.emplace_back("spends no time on transfers to and from off-chip memory "
                             "('reading.off_chip_timed: false'); a real machine is slower");
    return caveats;
}

ComponentPlan read_cim(MapReader& reader, const ComponentDefaults& defaults)
{
    const cim_macro::Design* const design = read_macro_rtl(reader, defaults);
    const cim::Config config = read_cim_config(reader, defaults);
    ComponentPlan plan;
    plan.has_rtl = true;
    plan.knows_final_length = true;
    plan.placement.place = MemoryPlace::OnChip;
    plan.placement.size_bytes = config.bytes();
    plan.placement.bytes_per_second = static_cast<std::uint64_t>(
        config.units.buffer_bits_per_cycle / 8 * static_cast<double>(config.clock.hz));
    plan.placement.written_by_address = false;
    plan.macs_per_second =
        config.cores * config.units.weights() * config.clock.hz / (config.units.macro_cycles + 1);
    plan.parameters = show_cores(reader, config);
    const auto placed_by = [config, place = reader.node().place,
                            path = reader.path()](auto function) {
        return [=](std::span<const ModelMatrix> matrices, const auto& sink) {
            try {
                return function(config, matrices, sink);
            } catch (const std::logic_error& error) {
                throw Error(place, "'" + path + "' " + error.what());
            }
        };
    };
    plan.keep = placed_by(cim::keep);
    plan.take_in = placed_by(cim::take_in);
    plan.caveats = [config](const CaveatInputs& inputs) { return caveats_of(config, inputs); };
    plan.make = [config, design, how = defaults.implementation, place = reader.node().place,
                 path = reader.path()](const std::string& name, const ComponentContext& around) {
        if (config.statistics && around.fabric->data != DataMode::TimingOnly)
            throw Error(place, "'" + path +
                                   ".compression' states measured properties of the data, but "
                                   "this run computes the data; remove 'compression', or set "
                                   "'data: timing_only'");
        return make_cores(name, config, *around.fabric, make_macro_rtl(name, design, how));
    };
    return plan;
}

const ComponentRegistration registration_of_cim(cim::declaration, read_cim);

} // namespace

} // namespace levee::cim
