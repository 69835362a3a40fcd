// SPDX-License-Identifier: Apache-2.0
// Builds the flash module from its keys in a scenario.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/flash/declaration.hpp"
#include "ip/flash/ecu/component.hpp"
#include "ip/flash/kept_matrices.hpp"
#include "ip/flash/module.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>

namespace levee::flash {

namespace {

using config::Dimension;
using config::Error;
using config::MapReader;
using config::Node;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 44;

flash::Geometry read_geometry(MapReader& reader)
{
    flash::Geometry geometry;
    geometry.channels = reader.quantity32("channels");
    geometry.chips = reader.quantity32("chips");
    geometry.dies = reader.quantity32("dies");
    geometry.planes = reader.quantity32("planes");
    geometry.blocks = reader.quantity32("blocks");
    geometry.pages = reader.quantity32("pages");
    geometry.page_bytes = reader.quantity32("page");
    geometry.spare_bytes = reader.quantity32("spare");
    return geometry;
}

flash::TimingConfig read_timing(MapReader& reader)
{
    flash::TimingConfig timing;
    timing.read = reader.quantity("read");
    timing.program = reader.quantity("program");
    timing.erase = reader.quantity("erase");
    timing.command = reader.quantity("command");
    timing.paired_command = reader.quantity("paired_command", timing.command);
    timing.channel_bytes_per_second = reader.quantity("channel");
    timing.core_macs_per_second = reader.quantity("macs") * reader.quantity("core_clock");
    timing.buffer_bytes = reader.quantity32("buffer");
    timing.slice_bytes = reader.quantity32("slice");
    timing.in_flight = reader.quantity32("in_flight");
    timing.arbitration = reader.word<flash::Arbitration>("arbitration");
    timing.planes = reader.word<flash::PlaneCommands>("plane_commands");
    timing.cache_read = reader.boolean("cache_read");
    timing.input_ahead = reader.boolean("input_ahead");
    return timing;
}

/// Reads an index below `count`, such as a channel's number. A `count` of 0 sets no limit: its key
/// is then missing, which another check reports.
std::uint32_t read_number(MapReader& reader, const char* key, std::uint64_t count)
{
    const std::uint32_t number = reader.quantity32(key);
    if (count != 0 && number >= count)
        throw reader.error(key, "is " + std::to_string(number) + "; expected at most " +
                                    std::to_string(count - 1));
    return number;
}

/// Reads the rates of channels that differ from the common rate.
void read_channel_rates(MapReader& reader, std::vector<flash::TimingConfig>& channels)
{
    std::set<std::uint64_t> named;
    for (MapReader& one : reader.maps("channel_rates")) {
        const std::uint32_t channel = read_number(one, "channel", channels.size());
        if (!named.insert(channel).second)
            throw one.error("channel", "is listed twice; expected each channel once");
        channels[channel].channel_bytes_per_second = one.quantity("rate");
        one.finish();
    }
}

/// Reads the list of dies that fail during the run.
std::vector<flash::FailedDie> read_failed_dies(MapReader& reader, const flash::Geometry& geometry)
{
    std::vector<flash::FailedDie> failed;
    for (MapReader& one : reader.maps("failed_dies")) {
        flash::FailedDie die;
        die.channel = read_number(one, "channel", geometry.channels);
        die.die = read_number(one, "die", geometry.dies_per_channel());
        die.at = one.quantity("at");
        if (one.raw("moved_to", false) != nullptr)
            die.moved_to = read_number(one, "moved_to", geometry.dies_per_channel());
        one.finish();
        failed.push_back(die);
    }
    if (const std::string fault = flash::fault_of(failed); !fault.empty())
        throw reader.error("failed_dies", fault);
    return failed;
}

std::uint32_t bits_for(std::uint32_t values)
{
    std::uint32_t bits = 1;
    while (bits < 24 && (1u << bits) < values)
        ++bits;
    return bits;
}

void read_code(MapReader reader, flash::Config& config)
{
    const Node& node = reader.node();
    const std::string& path = reader.path();
    flash::CodeFormat code;
    code.page_bytes = config.cells.geometry.page_bytes;
    code.value_bits = reader.quantity32("value_bits");
    (void)reader.has("address_bits");
    code.protected_values = reader.quantity32("protected");
    code.threshold_copies = reader.quantity32("threshold_copies");
    code.value_copies = reader.quantity32("value_copies");
    config.die_ecc = reader.boolean("die");
    config.npu_ecc = reader.boolean("npu");
    reader.finish(); // Reports missing keys first: the address size depends on them.
    code.address_bits =
        static_cast<std::uint32_t>(reader.quantity("address_bits", bits_for(code.values())));
    if (const std::string fault = code.fault(); !fault.empty())
        throw Error(node.place, "'" + path + "' has " + fault);
    if (code.code_bytes() > config.cells.geometry.spare_bytes)
        throw Error(node.place, "'" + path + "' needs " + std::to_string(code.code_bytes()) +
                                    " bytes per page; expected at most the " +
                                    std::to_string(config.cells.geometry.spare_bytes) +
                                    " bytes of 'spare'");
    config.cells.code = code;
}

/// Reads a curve: a list of points with the values that `columns` names.
std::vector<std::pair<std::uint64_t, double>> read_table(MapReader& reader, const char* key,
                                                         std::span<const config::Key> columns)
{
    std::vector<std::pair<std::uint64_t, double>> table;
    reader.rows(key, [&](MapReader& row) {
        table.emplace_back(row.quantity(columns[0].name), row.real(columns[1].name));
    });
    return table;
}

void read_errors(MapReader reader, flash::CellsConfig& cells)
{
    flash::ErrorCurve curve;
    curve.wear = read_table(reader, "wear", flash::wear_columns);
    curve.retention = read_table(reader, "retention", flash::retention_columns);
    curve.disturb = reader.real("disturb");
    cells.initial_cycles = reader.quantity("cycles");
    cells.endurance = reader.quantity("endurance");
    cells.initial_age = reader.quantity("age");
    reader.finish();
    if (const std::string fault = curve.fault(); !fault.empty())
        throw Error(reader.node().place, "'" + reader.path() + "': " + fault);
    cells.errors = curve;
}

/// Reads `alpha`: either the name of a rule, or a number, which is the cores' share.
void read_alpha(MapReader& reader, flash::PlacingConfig& placing)
{
    const Node* const node = reader.raw("alpha", false);
    if (node == nullptr)
        return;
    const config::Key& rule = flash::alpha_forms[0];
    const config::Key& share = flash::alpha_forms[1];
    if (std::ranges::find(rule.words, node->scalar, &config::Word::text) != rule.words.end()) {
        placing.share = reader.as(rule).word<flash_share>(rule.name);
        return;
    }
    if (node->scalar.find_first_of("+-.0123456789") != 0)
        throw reader.error("alpha", "is " +
                                        (node->is_scalar() ? config::in_quotes(node->scalar)
                                                           : std::string(node->kind_name())) +
                                        "; expected " + flash::alpha_form);
    placing.share = FLASH_SHARE_FIXED;
    placing.alpha = static_cast<std::uint32_t>(
        std::lround(reader.as(share).real(share.name) * FLASH_ALPHA_ONE));
}

flash::PlacingConfig read_placing(MapReader& flash)
{
    flash::PlacingConfig placing;
    std::optional<MapReader> own = flash.map("placing");
    if (!own)
        return placing;
    MapReader& reader = *own;
    read_alpha(reader, placing);
    placing.core_columns = reader.quantity32("core_columns");
    if (placing.core_columns != 0 && reader.has("tile"))
        throw reader.error("tile", "is given together with 'core_columns', which sets every "
                                   "tile; expected one of the two");
    placing.tile = reader.word<TileRule>("tile");
    placing.split = reader.word<levee_flash_split>("split");
    placing.input_bytes = reader.word<std::uint32_t>("input");
    placing.result_bytes = reader.word<std::uint32_t>("result");
    if (placing.result_bytes != whole_result_bytes) // Results of fewer than 4 bytes need a scale in
                                                    // the scenario.
        placing.result_shift = reader.quantity32("result_shift");
    reader.finish();
    return placing;
}

flash::Config read_config(MapReader& reader, const ComponentDefaults& defaults)
{
    flash::Config config;
    config.cells.geometry = read_geometry(reader);
    config.timing = read_timing(reader);
    config.channels.assign(std::max(1u, config.cells.geometry.channels), config.timing);
    read_channel_rates(reader, config.channels);
    config.failed = read_failed_dies(reader, config.cells.geometry);
    config.link_bytes_per_second = reader.quantity("link");
    config.link_latency = reader.quantity("link_latency");
    const std::optional<MapReader> code = reader.map("ecc"), errors = reader.map("errors");
    reader.finish(); // Reports missing keys before the checks below use their values.
    const flash::Geometry& geometry = config.cells.geometry;
    if (const std::uint64_t pages = std::uint64_t{geometry.blocks} * geometry.pages;
        pages > std::numeric_limits<std::uint32_t>::max())
        throw reader.error("blocks", "and 'pages' make " + std::to_string(pages) +
                                         " pages per plane; expected fewer than 2^32");
    const std::uint64_t bytes = geometry.pages_in_all() * geometry.page_bytes;
    if (geometry.pages_in_all() > most_bytes || bytes > most_bytes || bytes % 4096 != 0)
        throw reader.error("blocks", "leads to a flash of " + std::to_string(bytes) +
                                         " bytes; expected a multiple of 4 KiB, at most "
                                         "16 TiB");
    if (code)
        read_code(*code, config);
    if (errors)
        read_errors(*errors, config.cells);
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show(const MapReader& reader, const flash::Config& config)
{
    const flash::Geometry& g = config.cells.geometry;
    const flash::TimingConfig& timing = config.timing;
    const auto size = [](std::uint64_t bytes) {
        return config::format_quantity(bytes, Dimension::Size);
    };
    std::vector<Parameter> parameters{{"size", size(g.pages_in_all() * g.page_bytes)}};
    std::ranges::move(parameters_read(reader, flash::declaration), std::back_inserter(parameters));
    parameters.emplace_back("macs/s", std::to_string(timing.core_macs_per_second));
    if (config.cells.code)
        parameters.emplace_back("ecc", std::to_string(config.cells.code->protected_values) +
                                           " protected values per page, with a code of " +
                                           size(config.cells.code->code_bytes()));
    std::string others;
    for (std::size_t channel = 0; channel < config.channels.size(); ++channel)
        if (const std::uint64_t rate = config.channels[channel].channel_bytes_per_second;
            rate != timing.channel_bytes_per_second)
            others += (others.empty() ? "" : ", ") + std::to_string(channel) + " with " +
                      config::format_quantity(rate, Dimension::Bandwidth);
    if (!others.empty())
        parameters.emplace_back("other channels", others);
    if (!config.failed.empty())
        parameters.emplace_back("failed dies", std::to_string(config.failed.size()));
    parameters.emplace_back("errors", config.cells.errors ? "by curve" : "none");
    return parameters;
}

Component make(const std::string& name, const flash::Config& config, Fabric& fabric,
               const flash::ecu::Choice& ecu)
{
    std::unique_ptr<flash::ecu::RtlDecoder> decoder = flash::ecu::make_decoder(name, ecu);
    RtlStatus* const rtl = decoder.get();
    auto module = std::make_unique<flash::Flash>(name.c_str(), config, fabric, std::move(decoder));
    flash::Flash& flash = *module;
    Component component = store_of(std::move(module));
    component.rtl = rtl;
    const auto by_address = [&](const EnergyEvent& event, auto count) {
        component.background.push_back(
            {"read_by_address", &event, [&flash, count] { return count(flash.by_address()); }});
    };
    by_address(sense_event, [](const ReadsByAddress& reads) { return reads.pages; });
    by_address(channel_event, [](const ReadsByAddress& reads) { return reads.sent_bytes; });
    by_address(link_event, [](const ReadsByAddress& reads) { return reads.sent_bytes; });
    if (config.cells.code && config.npu_ecc)
        by_address(decode_event, [](const ReadsByAddress& reads) { return reads.pages; });
    component.trace_signals = [&flash](auto& file) { flash.channels().trace_signals(file); };
    return component;
}

std::vector<std::string> caveats(const CaveatInputs& inputs)
{
    if ((inputs.roles & ~std::uint32_t{LEVEE_ROLE_WEIGHTS}) == 0)
        return {};
    return {"is read by address: these reads run at its peak rate, and timelines do not show them; "
            "energy counts one sensed page per page size of bytes read"};
}

ComponentPlan read(MapReader& reader, const ComponentDefaults& defaults)
{
    flash::ecu::Choice ecu = flash::ecu::read_choice(reader, defaults);
    const flash::PlacingConfig placing = read_placing(reader);
    const flash::Config config = read_config(reader, defaults);
    const flash::Geometry& geometry = config.cells.geometry;
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OffChip;
    plan.placement.size_bytes = geometry.pages_in_all() * geometry.page_bytes;
    plan.placement.bytes_per_second = config.read_bytes_per_second();
    plan.placement.written_by_address = false;
    plan.placement.programmed = std::ranges::all_of(
        config.failed, [](const flash::FailedDie& die) { return die.moved_to.has_value(); });
    plan.macs_per_second = std::uint64_t{geometry.channels} * geometry.dies_per_channel() *
                           config.timing.core_macs_per_second;
    plan.parameters = show(reader, config);
    flash::ecu::fit(reader, config.cells.code, ecu, plan);
    const auto placed_by = [config, placing, place = reader.node().place,
                            path = reader.path()](auto function) {
        return [=](std::span<const ModelMatrix> matrices, const auto& sink) {
            try {
                return function(config, placing, matrices, sink);
            } catch (const std::logic_error& error) { // Thrown by Placer.
                throw Error(place, "'" + path + "' " + error.what());
            }
        };
    };
    plan.keep = placed_by(flash::keep);
    plan.take_in = placed_by(flash::take_in);
    plan.caveats = caveats;
    plan.make = [config, ecu](const std::string& name, const ComponentContext& around) {
        flash::Config seeded = config;
        seeded.cells.seed = around.seed;
        return make(name, seeded, *around.fabric, ecu);
    };
    return plan;
}

const ComponentRegistration registration(flash::declaration, read);

} // namespace

} // namespace levee::flash
