// SPDX-License-Identifier: Apache-2.0
// The flash in a system: from its keys in a scenario to its module.
#include "platform/machine/component/component.hpp"

#include "ip/flash/declaration.hpp"
#include "ip/flash/ecu/designs.hpp"
#include "ip/flash/ecu/rtl.hpp"
#include "ip/flash/module.hpp"
#include "platform/machine/component/registry.hpp"

#include <charconv>

namespace levee {

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

/// Channels that differ: a list of {channel, rate}.
void read_channel_rates(MapReader& reader, std::vector<flash::TimingConfig>& channels)
{
    const Node* list = reader.raw("channel_rates", false);
    if (list == nullptr)
        return;
    if (!list->is_list())
        throw reader.error("channel_rates", "is " + std::string(list->kind_name()) +
                                                "; expected a list of {channel, rate}");
    for (const Node& item : list->items) {
        MapReader one(item, reader.path() + ".channel_rates");
        const std::uint64_t channel = one.count("channel", {0, channels.size() - 1});
        channels[channel].channel_bytes_per_second =
            one.quantity("rate", Dimension::Bandwidth, {config::slowest_bytes_per_second});
        one.finish();
    }
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

double read_real(const Node& node, const std::string& path)
{
    double value = -1;
    const std::string& text = node.scalar;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!node.is_scalar() || status != std::errc() || end != text.data() + text.size() ||
        !(value >= 0 && value <= 1))
        throw Error(node.place, "'" + path + "' has '" + text + "'; expected a number of 0 to 1");
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

/// The error correction unit's RTL, if it is to be used.
struct EcuChoice {
    const flash::ecu::Design* design = nullptr; ///< null: none is named
    Implementation implementation = Implementation::Tlm;
};

/// Reads `rtl:`, by default a design for the pages' code.
EcuChoice read_ecu(MapReader& reader, const ComponentDefaults& defaults)
{
    EcuChoice choice{nullptr, defaults.implementation};
    if (choice.implementation == Implementation::Tlm)
        return choice;
    std::vector<std::pair<std::string, const flash::ecu::Design*>> words;
    for (const flash::ecu::Design& design : flash::ecu::designs())
        words.emplace_back(design.name, &design);
    choice.design = reader.choice<const flash::ecu::Design*>("rtl", words, nullptr);
    return choice;
}

/// Sets the design if none is named. It must decode this code.
void fit_ecu(MapReader& reader, const flash::Config& config, EcuChoice& choice)
{
    if (choice.implementation == Implementation::Tlm)
        return;
    if (!config.cells.code)
        throw reader.error("impl",
                           "must be tlm without 'ecc': the RTL is of the unit that decodes");
    const auto fits = [&](const flash::ecu::Design& design) {
        return design.size.format == *config.cells.code;
    };
    std::string names;
    for (const flash::ecu::Design& design : flash::ecu::designs()) {
        if (choice.design == nullptr && fits(design))
            choice.design = &design;
        const flash::CodeFormat& format = design.size.format;
        names += (names.empty() ? "" : ", ") + design.name + " (" +
                 std::to_string(format.page_bytes) + " B, " + std::to_string(format.value_bits) +
                 "-bit values, " + std::to_string(format.protected_values) + " protected)";
    }
    if (choice.design == nullptr || !fits(*choice.design))
        throw reader.error("ecc", "does not fit the RTL; expected the code of one of " + names +
                                      ", or 'impl: tlm'");
}

flash::Config read_config(MapReader& reader, const ComponentDefaults& defaults)
{
    flash::Config config;
    config.cells.geometry = read_geometry(reader);
    config.channels.assign(std::max(1u, config.cells.geometry.channels), read_timing(reader));
    read_channel_rates(reader, config.channels);
    config.link_bytes_per_second =
        reader.quantity("link", Dimension::Bandwidth, {config::slowest_bytes_per_second});
    config.link_latency =
        reader.quantity("link_latency", Dimension::Time, {0, config::longest_delay_ps}, 0);
    const Node* code = reader.raw("ecc", false);
    const Node* errors = reader.raw("errors", false);
    const std::uint64_t bytes =
        config.cells.geometry.pages_in_all() * config.cells.geometry.page_bytes;
    reader.finish(); // before values are compared: none is missing then
    if (bytes > most_bytes || bytes % 4096 != 0)
        throw reader.error("blocks", "makes " + std::to_string(bytes) +
                                         " bytes in all; expected a multiple of 4 KiB of at most "
                                         "16 TiB");
    if (code != nullptr)
        read_code(*code, reader.path() + ".ecc", config);
    if (errors != nullptr)
        read_errors(*errors, reader.path() + ".errors", config.cells);
    config.queue = queue_of(defaults, true);
    return config;
}

std::vector<Parameter> show(const flash::Config& config)
{
    const flash::Geometry& g = config.cells.geometry;
    const flash::TimingConfig& timing = config.channels.front();
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
    parameters.emplace_back("errors", config.cells.errors ? "by curve" : "none");
    return parameters;
}

Component make(const std::string& name, const flash::Config& config, Fabric& fabric,
               const EcuChoice& ecu)
{
    std::unique_ptr<flash::ecu::RtlDecoder> decoder;
    if (ecu.design != nullptr)
        decoder = std::make_unique<flash::ecu::RtlDecoder>(
            name, ecu.design->make,
            ecu.implementation == Implementation::Lockstep ? RtlMode::Lockstep : RtlMode::Rtl);
    Component component;
    component.rtl = decoder.get();
    auto module = std::make_unique<flash::Flash>(name.c_str(), config, fabric, std::move(decoder));
    flash::Flash& flash = *module;
    component.use(flash.queue);
    component.storage = &flash.port;
    component.load = [&flash](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        flash.load(offset, bytes);
    };
    component.report = [&flash](Stats& stats) { flash.report(stats); };
    component.module = std::move(module);
    return component;
}

ComponentPlan read(MapReader& reader, const ComponentDefaults& defaults)
{
    EcuChoice ecu = read_ecu(reader, defaults);
    const flash::Config config = read_config(reader, defaults);
    fit_ecu(reader, config, ecu);
    const flash::Geometry& geometry = config.cells.geometry;
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OffChip;
    plan.placement.size_bytes = geometry.pages_in_all() * geometry.page_bytes;
    plan.placement.bytes_per_second = config.read_bytes_per_second();
    plan.macs_per_second = std::uint64_t{geometry.channels} * geometry.dies_per_channel() *
                           config.channels.front().core_macs_per_second;
    plan.has_rtl = true;
    plan.parameters = show(config);
    if (ecu.design != nullptr)
        plan.parameters.emplace_back("rtl", ecu.design->name);
    plan.make = [config, ecu](const std::string& name, const Surroundings& around) {
        flash::Config seeded = config;
        seeded.cells.seed = around.seed;
        return make(name, seeded, *around.fabric, ecu);
    };
    return plan;
}

const ComponentRegistration registration(flash::declaration, read);

} // namespace

} // namespace levee
