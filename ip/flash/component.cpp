// SPDX-License-Identifier: Apache-2.0
// The flash in a system: from its keys in a scenario to its module.
#include "core/component/component.hpp"

#include "core/component/registry.hpp"
#include "ip/flash/declaration.hpp"
#include "ip/flash/ecu/component.hpp"
#include "ip/flash/keeping.hpp"
#include "ip/flash/module.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace levee::flash {

namespace {

using config::Dimension;
using config::Error;
using config::Limits;
using config::MapReader;
using config::Node;

constexpr Limits up_to_a_second{1, 1'000'000'000'000};
constexpr Limits up_to_90_days{0, 8'000'000'000'000'000'000};
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 44;

flash::Geometry read_geometry(MapReader& reader)
{
    flash::Geometry geometry;
    geometry.channels = reader.count32("channels", {1, 256});
    geometry.chips = reader.count32("chips", {1, 256});
    geometry.dies = reader.count32("dies", {1, 64});
    geometry.planes = reader.count32("planes", {1, 16});
    geometry.blocks = reader.count32("blocks", {1, 1'000'000});
    geometry.pages = reader.count32("pages", {1, 100'000});
    const auto bytes = [&](const char* key, Limits limits) {
        return static_cast<std::uint32_t>(reader.quantity(key, Dimension::Size, limits));
    };
    geometry.page_bytes = bytes("page", {64, 1 << 20});
    geometry.spare_bytes = bytes("spare", {0, 1 << 20});
    return geometry;
}

flash::TimingConfig read_timing(MapReader& reader)
{
    flash::TimingConfig timing;
    timing.read = reader.quantity("read", Dimension::Time, up_to_a_second);
    timing.program = reader.quantity("program", Dimension::Time, up_to_a_second);
    timing.erase = reader.quantity("erase", Dimension::Time, up_to_a_second);
    timing.command = reader.quantity("command", Dimension::Time, {0, 1'000'000'000}, 0);
    timing.paired_command =
        reader.quantity("paired_command", Dimension::Time, {0, 1'000'000'000}, timing.command);
    timing.channel_bytes_per_second =
        reader.quantity("channel", Dimension::Bandwidth, {config::slowest_bytes_per_second});
    const std::uint64_t macs = reader.count("macs", {0, 1 << 20});
    if (macs != 0 || reader.has("core_clock"))
        timing.core_macs_per_second =
            macs * reader.quantity("core_clock", Dimension::Frequency,
                                   {config::slowest_clock_hz, 100'000'000'000});
    timing.buffer_bytes =
        static_cast<std::uint32_t>(reader.quantity("buffer", Dimension::Size, {1, 1 << 24}));
    timing.slice_bytes =
        static_cast<std::uint32_t>(reader.quantity("slice", Dimension::Size, {0, 1 << 24}));
    timing.in_flight = reader.count32("in_flight", {1, 1024}, 2);
    using flash::Arbitration;
    timing.arbitration =
        reader.choice<Arbitration>("arbitration",
                                   {{"read_compute_first", Arbitration::ReadComputeFirst},
                                    {"first_come", Arbitration::FirstCome},
                                    {"data_first", Arbitration::DataFirst}},
                                   Arbitration::ReadComputeFirst);
    using flash::PlaneCommands;
    timing.planes = reader.choice<PlaneCommands>(
        "plane_commands",
        {{"independent", PlaneCommands::Independent}, {"paired", PlaneCommands::Paired}},
        PlaneCommands::Independent);
    timing.cache_read = reader.boolean("cache_read", true);
    timing.input_ahead = reader.boolean("input_ahead", false);
    return timing;
}

/// Items of an optional list of maps; `form` is what one looks like.
std::vector<Node> items_of(MapReader& reader, const char* key, const std::string& form)
{
    const Node* list = reader.raw(key, false);
    if (list == nullptr)
        return {};
    if (!list->is_list())
        throw reader.error(key,
                           "is " + std::string(list->kind_name()) + "; expected a list of " + form);
    return list->items;
}

/// Channels that differ: a list of {channel, rate}.
void read_channel_rates(MapReader& reader, std::vector<flash::TimingConfig>& channels)
{
    std::set<std::uint64_t> named;
    for (const Node& item : items_of(reader, "channel_rates", "{channel, rate}")) {
        MapReader one(item, reader.path() + ".channel_rates");
        const std::uint64_t channel = one.count("channel", {0, channels.size() - 1});
        if (!named.insert(channel).second)
            throw one.error("channel", "is there twice; expected each channel once");
        channels[channel].channel_bytes_per_second =
            one.quantity("rate", Dimension::Bandwidth, {config::slowest_bytes_per_second});
        one.finish();
    }
}

/// Dies that fail: a list of {channel, die, at, moved_to}.
std::vector<flash::FailedDie> read_failed_dies(MapReader& reader, const flash::Geometry& geometry)
{
    std::vector<flash::FailedDie> failed;
    const std::string path = reader.path() + ".failed_dies";
    const Limits dies{0, geometry.dies_per_channel() - 1};
    for (const Node& item : items_of(reader, "failed_dies", "{channel, die}")) {
        MapReader one(item, path);
        flash::FailedDie die;
        die.channel = one.count32("channel", {0, geometry.channels - 1});
        die.die = one.count32("die", dies);
        die.at = one.quantity("at", Dimension::Time, up_to_90_days, 0);
        if (one.raw("moved_to", false) != nullptr)
            die.moved_to = one.count32("moved_to", dies);
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

void read_code(const Node& node, const std::string& path, flash::Config& config)
{
    MapReader reader(node, path);
    flash::CodeFormat code;
    code.page_bytes = config.cells.geometry.page_bytes;
    code.value_bits = reader.count32("value_bits", {4, 8});
    code.address_bits = reader.count32("address_bits", {1, 24}, bits_for(code.values()));
    code.protected_values = reader.count32("protected", {1});
    code.threshold_copies = reader.count32("threshold_copies", {1, 255});
    code.value_copies = reader.count32("value_copies", {2, 254});
    config.die_ecc = reader.boolean("die", true);
    config.npu_ecc = reader.boolean("npu", false);
    reader.finish();
    if (const std::string fault = code.fault(); !fault.empty())
        throw Error(node.place, "'" + path + "' has " + fault);
    if (code.code_bytes() > config.cells.geometry.spare_bytes)
        throw Error(node.place, "'" + path + "' makes " + std::to_string(code.code_bytes()) +
                                    " bytes a page; expected at most the " +
                                    std::to_string(config.cells.geometry.spare_bytes) +
                                    " of 'spare'");
    config.cells.code = code;
}

double read_real(const Node& node, const std::string& path, const std::string& or_else = "")
{
    double value = -1;
    const std::string& text = node.scalar;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!node.is_scalar() || status != std::errc() || end != text.data() + text.size() ||
        !(value >= 0 && value <= 1))
        throw Error(node.place, "'" + path + "' has '" + text + "'; expected " + or_else +
                                    "a number of 0 to 1");
    return value;
}

/// A list of pairs of a quantity and a share.
std::vector<std::pair<std::uint64_t, double>> read_table(MapReader& reader, const char* key,
                                                         Dimension dimension, bool required)
{
    std::vector<std::pair<std::uint64_t, double>> table;
    const Node* list = reader.raw(key, required);
    if (list == nullptr)
        return table;
    const std::string path = reader.path() + "." + key;
    if (!list->is_list() || list->items.empty())
        throw reader.error(key, "is " + std::string(list->is_list() ? "empty" : list->kind_name()) +
                                    "; expected a list of pairs");
    for (const Node& item : list->items) {
        if (!item.is_list() || item.items.size() != 2 || !item.items[0].is_scalar())
            throw Error(item.place, "'" + path + "': expected pairs, such as [" +
                                        (dimension == Dimension::Time ? "1 s" : "3000") +
                                        ", 0.01]");
        const config::QuantityResult first =
            config::parse_quantity(item.items[0].scalar, dimension);
        if (!first.error.empty())
            throw Error(item.place,
                        "'" + path + "' has '" + item.items[0].scalar + "', which " + first.error);
        table.emplace_back(first.value, read_real(item.items[1], path));
    }
    return table;
}

void read_errors(const Node& node, const std::string& path, flash::CellsConfig& cells)
{
    MapReader reader(node, path);
    flash::ErrorCurve curve;
    curve.wear = read_table(reader, "wear", Dimension::Count, true);
    curve.retention = read_table(reader, "retention", Dimension::Time, false);
    curve.disturb = reader.real("disturb", 0, 1, 0);
    cells.initial_cycles = reader.count("cycles", {0, 1'000'000'000}, 0);
    cells.endurance = reader.count("endurance", {0, 1'000'000'000}, 0);
    cells.initial_age = reader.quantity("age", Dimension::Time, up_to_90_days, 0);
    reader.finish();
    if (const std::string fault = curve.fault(); !fault.empty())
        throw Error(node.place, "'" + path + "': " + fault);
    cells.errors = curve;
}

/// A rule for the share of the cores, or the share itself.
void read_alpha(MapReader& reader, flash::PlacingConfig& placing)
{
    const Node* node = reader.raw("alpha", false);
    if (node == nullptr || (node->is_scalar() && node->scalar == "balanced"))
        return;
    placing.share = FLASH_SHARE_FIXED;
    if (node->is_scalar() && node->scalar == "printed")
        placing.share = FLASH_SHARE_PRINTED;
    else
        placing.alpha = static_cast<std::uint32_t>(
            std::lround(read_real(*node, reader.path() + ".alpha", "balanced, printed, or ") *
                        FLASH_ALPHA_ONE));
}

flash::PlacingConfig read_placing(MapReader& flash)
{
    flash::PlacingConfig placing;
    const Node* node = flash.raw("placing", false);
    if (node == nullptr)
        return placing;
    MapReader reader(*node, flash.path() + ".placing");
    read_alpha(reader, placing);
    placing.core_columns = reader.count32("core_columns", {1, 1 << 24}, 0);
    if (placing.core_columns != 0 && reader.has("tile"))
        throw reader.error("tile", "goes with no 'core_columns', which are those of every tile");
    placing.tile = reader.choice<TileRule>(
        "tile", {{"fastest", TileRule::Fastest}, {"least_transfer", TileRule::LeastTransfer}},
        TileRule::Fastest);
    placing.split = reader.choice<levee_flash_split>(
        "split", {{"shared", LEVEE_FLASH_SPLIT_SHARED}, {"diagonal", LEVEE_FLASH_SPLIT_DIAGONAL}},
        LEVEE_FLASH_SPLIT_SHARED);
    placing.input_bytes = reader.choice<std::uint32_t>("input", {{"1 B", 1}, {"2 B", 2}}, 1);
    placing.result_bytes =
        reader.choice<std::uint32_t>("result", {{"1 B", 1}, {"2 B", 2}, {"4 B", 4}}, 4);
    if (placing.result_bytes != 4) // silent truncation is never allowed: the unit is stated
        placing.result_shift = reader.count32("result_shift", {0, 31});
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
    config.link_bytes_per_second =
        reader.quantity("link", Dimension::Bandwidth, {config::slowest_bytes_per_second});
    config.link_latency =
        reader.quantity("link_latency", Dimension::Time, {0, config::longest_delay_ps}, 0);
    const Node* code = reader.raw("ecc", false);
    const Node* errors = reader.raw("errors", false);
    reader.finish(); // before values are compared: none is missing then
    const flash::Geometry& geometry = config.cells.geometry;
    if (const std::uint64_t pages = std::uint64_t{geometry.blocks} * geometry.pages;
        pages > std::numeric_limits<std::uint32_t>::max())
        throw reader.error("blocks", "makes " + std::to_string(pages) +
                                         " pages a plane with 'pages'; expected less than 2^32");
    const std::uint64_t bytes = geometry.pages_in_all() * geometry.page_bytes;
    if (geometry.pages_in_all() > most_bytes || bytes > most_bytes || bytes % 4096 != 0)
        throw reader.error("blocks", "makes " + std::to_string(bytes) +
                                         " bytes in all; expected a multiple of 4 KiB of at most "
                                         "16 TiB");
    if (code != nullptr)
        read_code(*code, reader.path() + ".ecc", config);
    if (errors != nullptr)
        read_errors(*errors, reader.path() + ".errors", config.cells);
    config.queue = defaults.queue;
    return config;
}

std::vector<Parameter> show(const flash::Config& config)
{
    const flash::Geometry& g = config.cells.geometry;
    const flash::TimingConfig& timing = config.timing;
    const auto size = [](std::uint64_t bytes) {
        return config::format_quantity(bytes, Dimension::Size);
    };
    const auto time = [](std::uint64_t ps) { return config::format_quantity(ps, Dimension::Time); };
    std::vector<Parameter> parameters{
        {"size", size(g.pages_in_all() * g.page_bytes)},
        {"channels", std::to_string(g.channels)},
        {"chips", std::to_string(g.chips)},
        {"dies", std::to_string(g.dies)},
        {"planes", std::to_string(g.planes)},
        {"page", size(g.page_bytes)},
        {"channel", config::format_quantity(timing.channel_bytes_per_second, Dimension::Bandwidth)},
        {"read", time(timing.read)},
        {"program", time(timing.program)},
        {"erase", time(timing.erase)},
        {"slice", timing.slice_bytes == 0 ? "whole pages" : size(timing.slice_bytes)},
        {"buffer", size(timing.buffer_bytes)},
        {"macs/s", std::to_string(timing.core_macs_per_second)}};
    if (config.cells.code)
        parameters.emplace_back("ecc", std::to_string(config.cells.code->protected_values) +
                                           " values a page in " +
                                           size(config.cells.code->code_bytes()));
    for (std::size_t channel = 0; channel < config.channels.size(); ++channel)
        if (const std::uint64_t rate = config.channels[channel].channel_bytes_per_second;
            rate != timing.channel_bytes_per_second)
            parameters.emplace_back("channel " + std::to_string(channel),
                                    config::format_quantity(rate, Dimension::Bandwidth));
    if (!config.failed.empty())
        parameters.emplace_back("failed dies", std::to_string(config.failed.size()));
    parameters.emplace_back("errors", config.cells.errors ? "by curve" : "none");
    return parameters;
}

Component make(const std::string& name, const flash::Config& config, Fabric& fabric,
               const flash::ecu::Choice& ecu)
{
    std::unique_ptr<flash::ecu::RtlDecoder> decoder = flash::ecu::make_decoder(name, ecu);
    Component component;
    component.rtl = decoder.get();
    auto module = std::make_unique<flash::Flash>(name.c_str(), config, fabric, std::move(decoder));
    flash::Flash& flash = *module;
    component.use(flash.queue);
    component.storage = &flash.port;
    component.load = [&flash](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        flash.load(offset, bytes);
    };
    component.inside = flash.inside();
    component.trace_signals = [&flash](auto& file) { flash.channels().trace_signals(file); };
    component.report = [&flash](Stats& stats) { flash.report(stats); };
    component.module = std::move(module);
    return component;
}

std::vector<std::string> caveats(const CaveatInputs& inputs)
{
    if ((inputs.roles & ~std::uint32_t{LEVEE_ROLE_WEIGHTS}) == 0)
        return {};
    return {"is read by address, at its peak rate and without requests: what its pages, channels "
            "and link do for that is in no energy"};
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
    plan.macs_per_second = std::uint64_t{geometry.channels} * geometry.dies_per_channel() *
                           config.timing.core_macs_per_second;
    plan.parameters = show(config);
    flash::ecu::fit(reader, config.cells.code, ecu, plan);
    const auto placed_by = [config, placing, place = reader.node().place,
                            path = reader.path()](auto function) {
        return [=](std::span<const ModelMatrix> matrices, const auto& sink) {
            try {
                return function(config, placing, matrices, sink);
            } catch (const std::logic_error& error) { // of Placer
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
