// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/parameters_reader.hpp"

#include "core/config/reader.hpp"
#include "core/units/wide.hpp"
#include "ip/dram/keys.hpp"

#include <algorithm>
#include <sstream>

namespace levee::config {

namespace {

MapReader section(MapReader& parent, const std::string& key)
{
    const std::optional<MapReader> found = parent.map(key);
    if (!found)
        throw parent.error(key, "is missing; expected a map of keys and values");
    return *found;
}

dram::Organisation read_organisation(MapReader reader)
{
    dram::Organisation o;
    o.channels = reader.quantity32("channels");
    o.ranks = reader.quantity32("ranks");
    o.bank_groups = reader.quantity32("bank_groups");
    o.banks = reader.quantity32("banks");
    o.rows = reader.quantity("rows");
    o.page_bytes = reader.quantity32("page");
    o.data_bits = reader.quantity32("data_bits");
    o.burst_length = reader.quantity32("burst_length");
    o.burst_data = reader.quantity32("burst_data"); // 0: all
    o.data_rate = reader.quantity("data_rate");
    o.capacity_bytes = reader.quantity("capacity"); // 0: computed
    reader.finish();
    return o;
}

dram::Timing read_timing(MapReader reader)
{
    // Times are within a second: products of times and rates stay within 64 bits.
    const auto time = [&reader](const char* key) { return reader.quantity(key); };
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
    t.ccd_s_clocks = reader.quantity32("ccd_s_clocks");
    t.ccd_l_clocks = reader.quantity32("ccd_l_clocks");
    t.turnaround_clocks = reader.quantity32("turnaround_clocks");
    t.rank_clocks =
        reader.has("rank_clocks") ? reader.quantity32("rank_clocks") : t.turnaround_clocks;
    t.ppd_clocks = reader.quantity32("ppd_clocks");
    t.postponed_refreshes = reader.quantity32("postponed_refreshes");
    reader.finish();
    return t;
}

dram::CommandBus read_command_bus(MapReader reader)
{
    dram::CommandBus bus;
    bus.activate_clocks = reader.quantity32("activate_clocks");
    bus.column_clocks = reader.quantity32("column_clocks");
    bus.precharge_clocks = reader.quantity32("precharge_clocks");
    bus.refresh_clocks = reader.quantity32("refresh_clocks");
    bus.split = reader.boolean("split");
    bus.activate_window = reader.quantity32("activate_window");
    reader.finish();
    return bus;
}

/// A field of the mapping as written. Without a number of bits it takes the remaining values.
struct WrittenField {
    dram::AddressField field;
    bool has_bits = true;
};

/// Parses "<field> <bits>" or "<field>".
WrittenField read_field(const std::string& text, const MapReader& reader)
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
    words >> name;
    const bool has_bits = !(words >> std::ws).eof();
    if (!has_bits || ((words >> bits) && !(words >> rest) && bits > 0 && bits < 48))
        for (const auto& [known, field] : fields)
            if (known == name)
                return {{field, std::uint64_t{1} << bits}, has_bits};
    throw reader.error("low_to_high",
                       "'" + text +
                           "' is not a field of an address; expected column, channel, "
                           "bank_group, bank, rank or row, with a number of bits, such "
                           "as 'row 16', or without one for all remaining values");
}

/// Values of a field, by the organisation; 0: impossible.
std::uint64_t values_of(dram::Field field, const dram::Parameters& p)
{
    const dram::Organisation& o = p.organisation;
    switch (field) {
    case dram::Field::Column:
        return p.burst_bytes() == 0 ? 0 : o.page_bytes / p.burst_bytes();
    case dram::Field::Channel:
        return o.channels;
    case dram::Field::BankGroup:
        return o.bank_groups;
    case dram::Field::Bank:
        return o.banks;
    case dram::Field::Rank:
        return o.ranks;
    case dram::Field::Row:
        return o.rows;
    }
    return 0;
}

/// Gives fields without bits the values that the other fields of the same name leave. Fields with a
/// single value are dropped.
std::vector<dram::AddressField> with_values(const std::vector<WrittenField>& written,
                                            const dram::Parameters& parameters,
                                            const MapReader& reader)
{
    dram::Mapping given; // fields; one without bits has one value
    for (const WrittenField& part : written)
        given.low_to_high.push_back(part.field);
    std::vector<dram::AddressField> fields;
    for (const WrittenField& part : written) {
        dram::AddressField field = part.field;
        if (!part.has_bits) {
            if (std::ranges::count_if(written, [&field](const WrittenField& other) {
                    return other.field.field == field.field && !other.has_bits;
                }) > 1)
                throw reader.error("low_to_high", "has two fields of the same name without bits; "
                                                  "expected at most one, which takes the "
                                                  "remaining values");
            const std::uint64_t all = values_of(field.field, parameters);
            const std::uint64_t others = dram::values_of(given, field.field);
            field.values = all % others == 0 ? all / others : 1;
        }
        if (field.values > 1)
            fields.push_back(field);
    }
    return fields;
}

/// Adds the rank to a mapping without one, just below the row. Changes of rank are then rare; each
/// leaves the bus idle.
void add_rank(std::vector<WrittenField>& written)
{
    const auto is = [](dram::Field field) {
        return [field](const WrittenField& part) { return part.field.field == field; };
    };
    if (std::ranges::none_of(written, is(dram::Field::Rank)))
        written.insert(std::ranges::find_if(written, is(dram::Field::Row)),
                       {{dram::Field::Rank, 1}, false});
}

/// `followers`: fields whose values come from the overridden organisation, not from the file.
dram::Mapping read_mapping(MapReader reader, const dram::Parameters& parameters,
                           const std::vector<dram::Field>& followers)
{
    std::vector<WrittenField> written;
    for (const std::string& text : reader.strings("low_to_high")) {
        written.push_back(read_field(text, reader));
        const dram::Field field = written.back().field.field;
        if (std::ranges::find(followers, field) != followers.end())
            written.back() = {{field, 1}, false};
    }
    if (std::ranges::find(followers, dram::Field::Rank) != followers.end())
        add_rank(written);
    dram::Mapping mapping;
    mapping.low_to_high = with_values(written, parameters, reader);
    mapping.channel_hash = reader.boolean("channel_hash");
    mapping.bank_hash = reader.boolean("bank_hash");
    reader.finish();
    return mapping;
}

dram::Controller read_controller(MapReader reader)
{
    dram::Controller c;
    c.latency = reader.quantity("latency");
    c.read_queue = reader.quantity32("read_queue");
    c.write_queue = reader.quantity32("write_queue");
    c.write_high = reader.quantity32("write_high");
    c.batch = reader.quantity32("batch");
    c.patience = reader.quantity32("patience");
    c.bytes_per_turn = reader.quantity32("bytes_per_turn");
    c.refresh_slack = reader.quantity32("refresh_slack");
    c.arbitration = reader.word<dram::ArbitrationMode>("arbitration");
    c.batching = reader.word<dram::BatchingMode>("batching");
    c.prices = reader.word<dram::PriceMode>("prices");
    reader.finish();
    return c;
}

/// Returns a name such as "LPDDR5-6400" with another data rate.
std::string renamed(const std::string& standard, std::uint64_t data_rate)
{
    const std::size_t dash = standard.find('-');
    return dash == std::string::npos
               ? standard
               : standard.substr(0, dash + 1) + std::to_string(data_rate / 1'000'000);
}

/// The single keys, which override the organisation.
class SingleKeys {
public:
    explicit SingleKeys(MapReader& reader)
        : channels_(reader.quantity32("channels")), width_(reader.quantity32("width")),
          ranks_(reader.quantity32("ranks")), data_rate_(reader.quantity("data_rate")),
          capacity_(reader.quantity("capacity"))
    {
    }

    /// Fields of an address whose values differ from the original organisation's.
    [[nodiscard]] std::vector<dram::Field> followers() const
    {
        std::vector<dram::Field> fields;
        if (set_channels())
            fields.push_back(dram::Field::Channel);
        if (ranks_ != 0)
            fields.push_back(dram::Field::Rank);
        if (capacity_ != 0)
            fields.push_back(dram::Field::Row);
        return fields;
    }

    void apply(dram::Parameters& p, const MapReader& reader) const
    {
        dram::Organisation& o = p.organisation;
        const std::uint32_t by_width = width_ / o.data_bits;
        if (width_ % o.data_bits != 0)
            throw reader.error("width", "is " + std::to_string(width_) +
                                            "; expected a multiple of a channel's "
                                            "organisation.data_bits, " +
                                            std::to_string(o.data_bits));
        if (width_ != 0 && channels_ != 0 && by_width != channels_)
            throw reader.error("width", "is " + std::to_string(width_) + ", but 'channels' sets " +
                                            std::to_string(channels_) + " channels of " +
                                            std::to_string(o.data_bits) +
                                            " bits; expected only one of the two keys");
        if (set_channels())
            o.channels = channels_ != 0 ? channels_ : by_width;
        if (ranks_ != 0)
            o.ranks = ranks_;
        if (data_rate_ != 0)
            set_data_rate(p);
        if (capacity_ != 0)
            set_rows(p, reader);
        if (!followers().empty() || o.capacity_bytes == 0)
            o.capacity_bytes =
                std::uint64_t{o.channels} * o.ranks * p.banks_per_rank() * o.rows * o.page_bytes;
    }

private:
    [[nodiscard]] bool set_channels() const { return channels_ != 0 || width_ != 0; }

    /// Computes the number of rows per bank from the capacity.
    void set_rows(dram::Parameters& p, const MapReader& reader) const
    {
        const Wide rows = Wide{p.organisation.channels} * p.organisation.ranks *
                          p.organisation.bank_groups * p.organisation.banks *
                          p.organisation.page_bytes;
        if (rows == 0 || rows > capacity_ || capacity_ % rows != 0)
            throw reader.error(
                "capacity",
                "is " + config::format_quantity(capacity_, Dimension::Size) +
                    "; expected a multiple of " +
                    config::format_quantity(static_cast<std::uint64_t>(rows), Dimension::Size) +
                    ", one row in every bank");
        p.organisation.rows = static_cast<std::uint64_t>(capacity_ / rows);
    }
    /// The clock keeps its ratio to the data rate. Times in picoseconds do not change.
    void set_data_rate(dram::Parameters& p) const
    {
        if (const unsigned beats = dram::beats_per_clock(p))
            p.timing.clock = (beats * ps_per_second + data_rate_ - 1) / data_rate_;
        p.organisation.data_rate = data_rate_;
        p.standard = renamed(p.standard, data_rate_);
    }

    std::uint32_t channels_, width_, ranks_; ///< 0: not given
    std::uint64_t data_rate_, capacity_;
};

} // namespace

dram::Parameters read_dram_parameters(const Node& node, const std::string& path)
{
    MapReader reader(node, path, dram::standard_keys);
    dram::Parameters parameters;
    parameters.standard = reader.string("standard");
    parameters.refresh = reader.word<dram::RefreshMode>("refresh");
    const auto refreshes = reader.word<Picoseconds>("refresh_rate");
    const SingleKeys single(reader);
    parameters.organisation = read_organisation(section(reader, "organisation"));
    parameters.timing = read_timing(section(reader, "timing"));
    parameters.timing.refi /= refreshes;
    single.apply(parameters, reader);
    parameters.command_bus = read_command_bus(section(reader, "command_bus"));
    parameters.mapping = read_mapping(section(reader, "mapping"), parameters, single.followers());
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
