// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/dram_parameters.hpp"

#include "platform/input/config/reader.hpp"

#include <sstream>

namespace levee::config {

namespace {

MapReader section(MapReader& parent, const std::string& key)
{
    const Node* node = parent.raw(key, true);
    if (node == nullptr)
        throw parent.error(key, "is missing; expected a map of keys and values");
    return MapReader(*node, parent.path().empty() ? key : parent.path() + "." + key);
}

dram::Organisation read_organisation(MapReader reader)
{
    constexpr Limits some{1};
    dram::Organisation o;
    o.channels = reader.count32("channels", some);
    o.ranks = reader.count32("ranks", some);
    o.bank_groups = reader.count32("bank_groups", some);
    o.banks = reader.count32("banks", some);
    o.rows = reader.count("rows", some);
    o.page_bytes = static_cast<unsigned>(
        reader.quantity("page", Dimension::Size, Limits{1, std::uint64_t{1} << 20}));
    o.data_bits = reader.count32("data_bits", some);
    o.burst_length = reader.count32("burst_length", some);
    o.data_rate = reader.quantity("data_rate", Dimension::TransferRate, some);
    o.capacity_bytes = reader.quantity("capacity", Dimension::Size, some);
    reader.finish();
    return o;
}

dram::Timing read_timing(MapReader reader)
{
    const auto time = [&reader](const char* key) {
        // Within a second: products of times and rates stay within 64 bits.
        constexpr std::uint64_t second = 1'000'000'000'000;
        return reader.quantity(key, Dimension::Time, Limits{0, second});
    };
    dram::Timing t;
    t.clock = time("clock");
    t.read_latency = time("read_latency");
    t.write_latency = time("write_latency");
    t.rcd_read = time("rcd_read");
    t.rcd_write = time("rcd_write");
    t.rp = time("rp");
    t.rp_all = time("rp_all");
    t.ras = time("ras");
    t.rc = time("rc");
    t.rrd_s = time("rrd_s");
    t.rrd_l = time("rrd_l");
    t.faw = time("faw");
    t.wr = time("wr");
    t.rtp = time("rtp");
    t.wtr_s = time("wtr_s");
    t.wtr_l = time("wtr_l");
    t.rfc_all = time("rfc_all");
    t.rfc_bank = time("rfc_bank");
    t.refi = time("refi");
    t.refresh_to_activate = time("refresh_to_activate");
    t.refresh_to_refresh = time("refresh_to_refresh");
    t.ccd_s_clocks = reader.count32("ccd_s_clocks");
    t.ccd_l_clocks = reader.count32("ccd_l_clocks");
    t.turnaround_clocks = reader.count32("turnaround_clocks");
    t.ppd_clocks = reader.count32("ppd_clocks", Limits{}, 0);
    t.postponed_refreshes = reader.count32("postponed_refreshes");
    reader.finish();
    return t;
}

dram::CommandBus read_command_bus(MapReader reader)
{
    dram::CommandBus bus;
    bus.activate_clocks = reader.count32("activate_clocks");
    bus.column_clocks = reader.count32("column_clocks");
    bus.precharge_clocks = reader.count32("precharge_clocks");
    bus.refresh_clocks = reader.count32("refresh_clocks");
    bus.split = reader.boolean("split");
    bus.activate_window = reader.count32("activate_window", Limits{}, 0);
    reader.finish();
    return bus;
}

/// One "<field> <bits>" of the mapping.
dram::AddressField read_field(const std::string& text, const MapReader& reader)
{
    static const std::vector<std::pair<std::string, dram::Field>> fields{
        {"column", dram::Field::Column},
        {"channel", dram::Field::Channel},
        {"bank_group", dram::Field::BankGroup},
        {"bank", dram::Field::Bank},
        {"rank", dram::Field::Rank},
        {"row", dram::Field::Row}};
    std::istringstream words(text);
    std::string name;
    std::string rest;
    unsigned bits = 0;
    words >> name >> bits;
    if (words && !(words >> rest) && bits > 0 && bits < 48)
        for (const auto& [known, field] : fields)
            if (known == name)
                return dram::AddressField{field, bits};
    throw reader.error("low_to_high", "'" + text +
                                          "' is not a field and its bits: expected one of column, "
                                          "channel, bank_group, bank, rank, row and a number, such "
                                          "as 'row 16'");
}

dram::Mapping read_mapping(MapReader reader)
{
    dram::Mapping mapping;
    for (const std::string& text : reader.strings("low_to_high"))
        mapping.low_to_high.push_back(read_field(text, reader));
    mapping.channel_hash = reader.boolean("channel_hash");
    mapping.bank_hash = reader.boolean("bank_hash");
    reader.finish();
    return mapping;
}

dram::Controller read_controller(MapReader reader)
{
    constexpr Limits queue{1, 4096};
    dram::Controller c;
    c.latency = reader.quantity("latency", Dimension::Time);
    c.read_queue = reader.count32("read_queue", queue);
    c.write_queue = reader.count32("write_queue", queue);
    c.write_high = reader.count32("write_high");
    c.batch = reader.count32("batch", queue);
    c.patience = reader.count32("patience", queue);
    c.bytes_per_turn = reader.count32("bytes_per_turn", Limits{1, 1U << 20});
    c.refresh_slack = reader.count32("refresh_slack");
    c.arbitration =
        reader.choice<dram::ArbitrationMode>("arbitration",
                                             {{"first_ready", dram::ArbitrationMode::FirstReady},
                                              {"in_order", dram::ArbitrationMode::InOrder}},
                                             dram::ArbitrationMode::FirstReady);
    c.batching =
        reader.choice<dram::BatchingMode>("batching",
                                          {{"watermark", dram::BatchingMode::Watermark},
                                           {"reads_first", dram::BatchingMode::ReadsFirst}},
                                          dram::BatchingMode::Watermark);
    reader.finish();
    return c;
}

} // namespace

dram::Parameters read_dram_parameters(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    dram::Parameters parameters;
    parameters.standard = reader.string("standard");
    parameters.refresh =
        reader.choice<dram::RefreshMode>("refresh", {{"per_bank", dram::RefreshMode::PerBank},
                                                     {"all_bank", dram::RefreshMode::AllBank}});
    parameters.organisation = read_organisation(section(reader, "organisation"));
    parameters.timing = read_timing(section(reader, "timing"));
    parameters.command_bus = read_command_bus(section(reader, "command_bus"));
    parameters.mapping = read_mapping(section(reader, "mapping"));
    parameters.controller = read_controller(section(reader, "controller"));
    reader.finish();
    const std::vector<std::string> faults = dram::validate(parameters);
    if (!faults.empty()) {
        std::string message = path + ": these values do not fit together:";
        for (const std::string& fault : faults)
            message += "\n  " + fault;
        throw Error(node.place, message);
    }
    return parameters;
}

} // namespace levee::config
