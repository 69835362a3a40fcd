#include "platform/memories/memory.hpp"

#include "ip/dram/module.hpp"

#include <algorithm>

namespace levee {

namespace {

using config::Dimension;
using config::MapReader;
using config::Node;

unsigned count(MapReader& reader, const std::string& key)
{
    return reader.count32(key);
}

Picoseconds time(MapReader& reader, const std::string& key)
{
    return reader.quantity(key, Dimension::Time);
}

dram::Organisation read_organisation(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::Organisation o;
    o.channels = count(reader, "channels");
    o.ranks = count(reader, "ranks");
    o.bank_groups = count(reader, "bank_groups");
    o.banks = count(reader, "banks");
    o.rows = reader.count("rows", {1, 1u << 30});
    o.page_bytes = static_cast<unsigned>(reader.quantity("page", Dimension::Size, {1, 1u << 20}));
    o.data_bits = count(reader, "data_bits");
    o.burst_length = count(reader, "burst_length");
    o.data_rate = reader.quantity("data_rate", Dimension::TransferRate, {1});
    o.capacity_bytes = reader.quantity("capacity", Dimension::Size, {1, std::uint64_t{1} << 44});
    reader.finish();
    return o;
}

dram::Timing read_timing(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::Timing t;
    const std::vector<std::pair<const char*, Picoseconds*>> times{
        {"clock", &t.clock},
        {"read_latency", &t.read_latency},
        {"write_latency", &t.write_latency},
        {"rcd_read", &t.rcd_read},
        {"rcd_write", &t.rcd_write},
        {"rp", &t.rp},
        {"rp_all", &t.rp_all},
        {"ras", &t.ras},
        {"rc", &t.rc},
        {"rrd_s", &t.rrd_s},
        {"rrd_l", &t.rrd_l},
        {"faw", &t.faw},
        {"wr", &t.wr},
        {"rtp", &t.rtp},
        {"wtr_s", &t.wtr_s},
        {"wtr_l", &t.wtr_l},
        {"rfc_all", &t.rfc_all},
        {"rfc_bank", &t.rfc_bank},
        {"refi", &t.refi},
        {"refresh_to_activate", &t.refresh_to_activate},
        {"refresh_to_refresh", &t.refresh_to_refresh}};
    for (const auto& [key, value] : times)
        *value = time(reader, key);
    t.ccd_s_clocks = count(reader, "ccd_s_clocks");
    t.ccd_l_clocks = count(reader, "ccd_l_clocks");
    t.turnaround_clocks = count(reader, "turnaround_clocks");
    t.postponed_refreshes = count(reader, "postponed_refreshes");
    reader.finish();
    return t;
}

dram::CommandBus read_command_bus(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::CommandBus bus;
    bus.activate_clocks = count(reader, "activate_clocks");
    bus.column_clocks = count(reader, "column_clocks");
    bus.precharge_clocks = count(reader, "precharge_clocks");
    bus.refresh_clocks = count(reader, "refresh_clocks");
    bus.split = reader.boolean("split");
    reader.finish();
    return bus;
}

/// "column 3": a field and how many bits of it.
dram::AddressField read_field(const Node& item, const std::string& path)
{
    const std::vector<std::string> names{"column", "channel", "bank_group", "bank", "rank", "row"};
    constexpr dram::Field fields[] = {dram::Field::Column, dram::Field::Channel,
                                      dram::Field::BankGroup, dram::Field::Bank,
                                      dram::Field::Rank, dram::Field::Row};
    Node name = item;
    const std::size_t blank = item.scalar.find(' ');
    name.scalar = item.scalar.substr(0, blank);
    const std::size_t index = config::find_word(name, path, names);
    const config::QuantityResult bits = config::parse_quantity(
        blank == std::string::npos ? "" : item.scalar.substr(blank), Dimension::Count);
    if (!bits.error.empty() || bits.value > 48)
        throw config::Error(item.place, "'" + path + "' has '" + item.scalar +
                                            "'; expected a field and its bits, as in 'column 3'");
    return {fields[index], static_cast<unsigned>(bits.value)};
}

dram::Mapping read_mapping(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::Mapping mapping;
    (void)reader.strings("low_to_high");
    if (const Node* fields = node.find("low_to_high"))
        for (const Node& item : fields->items)
            mapping.low_to_high.push_back(read_field(item, path + ".low_to_high"));
    mapping.channel_hash = reader.boolean("channel_hash");
    mapping.bank_hash = reader.boolean("bank_hash");
    reader.finish();
    return mapping;
}

dram::Controller read_controller(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::Controller c;
    c.latency = time(reader, "latency");
    c.read_queue = count(reader, "read_queue");
    c.write_queue = count(reader, "write_queue");
    c.write_high = count(reader, "write_high");
    c.batch = count(reader, "batch");
    c.bytes_per_turn = count(reader, "bytes_per_turn");
    c.refresh_slack = count(reader, "refresh_slack");
    reader.finish();
    return c;
}

dram::Parameters read_standard(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::Parameters p;
    p.standard = reader.string("standard");
    if (const Node* part = reader.raw("organisation", true))
        p.organisation = read_organisation(*part, path + ".organisation");
    if (const Node* part = reader.raw("timing", true))
        p.timing = read_timing(*part, path + ".timing");
    if (const Node* part = reader.raw("command_bus", true))
        p.command_bus = read_command_bus(*part, path + ".command_bus");
    if (const Node* part = reader.raw("mapping", true))
        p.mapping = read_mapping(*part, path + ".mapping");
    if (const Node* part = reader.raw("controller", true))
        p.controller = read_controller(*part, path + ".controller");
    p.refresh = reader.choice<dram::RefreshMode>("refresh",
                                                 {{"per_bank", dram::RefreshMode::PerBank},
                                                  {"all_bank", dram::RefreshMode::AllBank}});
    reader.finish();
    const std::vector<std::string> faults = dram::validate(p);
    if (!faults.empty())
        throw config::Error(node.place, "'" + path + "': " + faults.front());
    return p;
}

std::vector<Parameter> show(const dram::Parameters& p, std::uint64_t peak)
{
    const dram::Organisation& o = p.organisation;
    return {{"standard", p.standard},
            {"capacity", config::format_quantity(o.capacity_bytes, Dimension::Size)},
            {"peak", config::format_quantity(peak, Dimension::Bandwidth)},
            {"channels", std::to_string(o.channels) + " x " + std::to_string(o.data_bits) +
                             " bit at " +
                             config::format_quantity(o.data_rate, Dimension::TransferRate)},
            {"banks", std::to_string(p.banks_per_rank()) + " in each of " +
                          std::to_string(o.ranks) + " ranks"},
            {"refresh", p.refresh == dram::RefreshMode::PerBank ? "per_bank" : "all_bank"}};
}

MemoryPlan read_dram(MapReader& reader)
{
    dram::Config config;
    const std::string path = reader.path() + ".standard";
    if (const Node* standard = reader.raw("standard", true))
        config.parameters = read_standard(*standard, path);
    MemoryPlan plan;
    plan.place = MemoryPlace::OffChip;
    plan.size_bytes = config.parameters.organisation.capacity_bytes;
    plan.bytes_per_second = static_cast<std::uint64_t>(config.parameters.peak_bytes_per_s());
    plan.parameters = show(config.parameters, plan.bytes_per_second);
    plan.make = [config](const std::string& name) {
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
