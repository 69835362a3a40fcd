// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/parameters.hpp"

#include "core/units/wide.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace levee::dram {

namespace {

/// Limit of channels: prices are scheduled burst by burst in all channels, and would take minutes
/// with more.
constexpr unsigned most_channels = 256;
constexpr std::uint64_t most_rows = std::uint64_t{1} << 32;

class Faults {
public:
    void require(bool good, std::string message)
    {
        if (!good)
            found.push_back(std::move(message));
    }
    template <typename Value> void positive(const char* key, Value value)
    {
        require(value > 0, std::string(key) + " must be above 0");
    }
    void power_of_two(const char* key, std::uint64_t value)
    {
        require(std::has_single_bit(value),
                std::string(key) + " must be a power of two, not " + std::to_string(value));
    }

    std::vector<std::string> found;
};

/// A burst's data must be a power of two of bytes, so that rows and patterns divide into bursts.
void check_burst(const Organisation& o, Faults& faults)
{
    const std::uint64_t bits = std::uint64_t{o.data_bits} * o.burst_length;
    const std::string moves = "organisation.data_bits and burst_length: a burst of " +
                              std::to_string(o.burst_length) + " beats of " +
                              std::to_string(o.data_bits) + " bits moves ";
    faults.require(bits >= 8 * std::uint64_t{o.burst_data},
                   moves + "fewer than the " + std::to_string(o.burst_data) +
                       " bytes of organisation.burst_data");
    faults.require(o.burst_data != 0 || (bits % 8 == 0 && std::has_single_bit(bits / 8)),
                   moves + std::to_string(bits / 8) +
                       " bytes, which is not a power of two; expected organisation.burst_data, the "
                       "number of data bytes among them");
    faults.require(o.burst_data == 0 || std::has_single_bit(o.burst_data),
                   "organisation.burst_data must be a power of two, not " +
                       std::to_string(o.burst_data));
}

void check_organisation(const Parameters& p, Faults& faults)
{
    const Organisation& o = p.organisation;
    faults.positive("organisation.channels", o.channels);
    faults.require(o.channels <= most_channels, "organisation.channels must be at most " +
                                                    std::to_string(most_channels) + ", not " +
                                                    std::to_string(o.channels));
    faults.positive("organisation.ranks", o.ranks);
    faults.power_of_two("organisation.bank_groups", o.bank_groups);
    faults.power_of_two("organisation.banks", o.banks);
    faults.require(o.rows > 0 && o.rows <= most_rows, "organisation.rows must be from 1 to " +
                                                          std::to_string(most_rows) + ", not " +
                                                          std::to_string(o.rows));
    faults.power_of_two("organisation.page", o.page_bytes);
    check_burst(o, faults);
    faults.positive("organisation.data_rate", o.data_rate);
    faults.require(std::uint64_t{o.ranks} * p.banks_per_rank() <= 64,
                   "organisation: at most 64 banks in a channel (ranks x bank_groups x banks)");
    if (!faults.found.empty())
        return;
    faults.require(o.page_bytes >= p.burst_bytes(), "organisation.page must hold a burst of " +
                                                        std::to_string(p.burst_bytes()) + " bytes");
    const Wide built = Wide{o.channels} * o.ranks * p.banks_per_rank() * o.rows * o.page_bytes;
    faults.require(built == o.capacity_bytes,
                   "organisation.capacity is " + std::to_string(o.capacity_bytes) +
                       " bytes, but channels x ranks x banks x rows x page give " +
                       std::to_string(static_cast<std::uint64_t>(built)));
}

void check_clock(const Parameters& p, Faults& faults)
{
    const Organisation& o = p.organisation;
    const unsigned beats = beats_per_clock(p);
    std::string ratio = std::to_string(o.data_rate * p.timing.clock / (ps_per_second / 100));
    ratio.insert(0, ratio.size() < 3 ? 3 - ratio.size() : 0, '0');
    ratio.insert(ratio.size() - 2, ".");
    faults.require(
        beats != 0 && o.burst_length % beats == 0,
        "timing.clock of " + std::to_string(p.timing.clock) + " ps and organisation.data_rate of " +
            std::to_string(o.data_rate / 1'000'000) + " MT/s give " + ratio +
            " beats per clock, and organisation.burst_length is " + std::to_string(o.burst_length) +
            "; expected 2, 4, 8 or 16 beats per clock, and a burst length that is a multiple of "
            "it");
}

/// Clocks from one refresh to the next, of a rank or of one bank after another.
std::uint64_t clocks_between_refreshes(const Parameters& p)
{
    return p.timing.refi / p.timing.clock /
           (p.refresh == RefreshMode::AllBank ? 1 : p.banks_per_rank());
}

/// Refuses bursts that, at a low data rate, take longer than the time between refreshes: refreshes
/// would follow each other endlessly.
void check_bursts(const Parameters& p, Faults& faults)
{
    const Clocks c = clocks(p);
    const std::uint64_t lasts =
        p.refresh == RefreshMode::AllBank ? c.rfc_all : c.refresh_to_refresh;
    const std::uint64_t between = clocks_between_refreshes(p);
    faults.require(lasts + c.burst < between,
                   "timing: a refresh takes " + std::to_string(lasts) + " clocks and a burst " +
                       std::to_string(c.burst) + ", but refreshes are " + std::to_string(between) +
                       " clocks of " + std::to_string(p.timing.clock) +
                       " ps apart; expected a higher organisation.data_rate, so that both fit");
}

/// Shortest permitted time between two refreshes of a bank: its rows' precharge, and another row
/// with a burst. With less, the controller does little but refresh, and streams take very long.
Picoseconds least_between_refreshes(const Parameters& p)
{
    const Timing& t = p.timing;
    if (p.refresh == RefreshMode::PerBank)
        return t.rc;
    const Picoseconds burst =
        p.organisation.burst_length * ps_per_second / p.organisation.data_rate;
    return t.rp_all + t.rc + burst +
           std::max(t.rcd_read + t.read_latency, t.rcd_write + t.write_latency + t.wr);
}

void check_refresh(const Parameters& p, Faults& faults)
{
    const Timing& t = p.timing;
    const bool all = p.refresh == RefreshMode::AllBank;
    const Picoseconds interval = all ? t.refi : t.refi / p.banks_per_rank();
    const Picoseconds lasts = all ? t.rfc_all : t.refresh_to_refresh;
    const Picoseconds of_a_bank = all ? t.rfc_all : t.rfc_bank;
    const char* const key = all ? "timing.rfc_all" : "timing.rfc_bank";
    faults.positive(key, of_a_bank);
    faults.require(lasts < interval, "timing: refreshes every " + std::to_string(interval) +
                                         " ps that last " + std::to_string(lasts) +
                                         " ps leave no time for anything else; expected a lower "
                                         "refresh_rate" +
                                         (all ? "" : ", or refresh: all_bank"));
    if (!faults.found.empty())
        return;
    const Picoseconds least = of_a_bank + least_between_refreshes(p);
    faults.require(t.refi > least,
                   "timing.refi of " + std::to_string(t.refi) +
                       " ps leaves a bank too little time in addition to its refresh (" + key +
                       "); expected more than " + std::to_string(least) + " ps");
}

/// Refuses waits between commands that are longer than the time between two refreshes: no data
/// sheet has them, and a stream would hardly end.
void check_waits(const Timing& t, Faults& faults)
{
    const std::pair<const char*, Picoseconds> waits[] = {
        {"read_latency", t.read_latency},
        {"write_latency", t.write_latency},
        {"rcd_read", t.rcd_read},
        {"rcd_write", t.rcd_write},
        {"rp_all", t.rp_all},
        {"rc", t.rc},
        {"rrd_l", t.rrd_l},
        {"faw", t.faw},
        {"wr", t.wr},
        {"rtp", t.rtp},
        {"wtr_l", t.wtr_l},
        {"refresh_to_activate", t.refresh_to_activate},
        {"refresh_to_refresh", t.refresh_to_refresh}};
    for (const auto& [name, wait] : waits)
        faults.require(wait <= t.refi,
                       std::string("timing.") + name + " of " + std::to_string(wait) +
                           " ps is longer than timing.refi, " + std::to_string(t.refi) + " ps");
}

/// Refuses waits in clocks, and commands, that are longer than the time between two refreshes.
void check_clock_counts(const Parameters& p, Faults& faults)
{
    const Timing& t = p.timing;
    const CommandBus& bus = p.command_bus;
    const std::pair<const char*, std::uint64_t> clocks[] = {
        {"timing.ccd_l_clocks", t.ccd_l_clocks},
        {"timing.turnaround_clocks", t.turnaround_clocks},
        {"timing.rank_clocks", t.rank_clocks},
        {"timing.ppd_clocks", t.ppd_clocks},
        {"command_bus.activate_clocks", bus.activate_clocks},
        {"command_bus.column_clocks", bus.column_clocks},
        {"command_bus.precharge_clocks", bus.precharge_clocks},
        {"command_bus.refresh_clocks", bus.refresh_clocks},
        {"command_bus.activate_window", bus.activate_window}};
    for (const auto& [name, wait] : clocks)
        faults.require(Wide{wait} * t.clock <= t.refi, name + (" of " + std::to_string(wait)) +
                                                           " clocks is longer than timing.refi, " +
                                                           std::to_string(t.refi) + " ps");
}

void check_timing(const Parameters& p, Faults& faults)
{
    const Timing& t = p.timing;
    faults.positive("timing.clock", t.clock);
    faults.positive("timing.read_latency", t.read_latency);
    faults.positive("timing.write_latency", t.write_latency);
    faults.positive("timing.rcd_read", t.rcd_read);
    faults.positive("timing.rcd_write", t.rcd_write);
    faults.positive("timing.rp", t.rp);
    faults.positive("timing.ras", t.ras);
    faults.positive("timing.refi", t.refi);
    faults.positive("timing.ccd_s_clocks", t.ccd_s_clocks);
    faults.positive("timing.postponed_refreshes", t.postponed_refreshes);
    faults.require(t.rp_all >= t.rp, "timing.rp_all must be at least timing.rp");
    faults.require(t.rc >= t.ras, "timing.rc must be at least timing.ras");
    faults.require(t.rrd_l >= t.rrd_s, "timing.rrd_l must be at least timing.rrd_s");
    faults.require(t.wtr_l >= t.wtr_s, "timing.wtr_l must be at least timing.wtr_s");
    faults.require(t.ccd_l_clocks >= t.ccd_s_clocks,
                   "timing.ccd_l_clocks must be at least timing.ccd_s_clocks");
    check_waits(t, faults);
    if (!faults.found.empty())
        return;
    check_refresh(p, faults);
    check_clock(p, faults);
    if (!faults.found.empty())
        return;
    check_bursts(p, faults);
    if (!faults.found.empty())
        return;
    check_clock_counts(p, faults);
    const Clocks c = clocks(p);
    faults.require(c.burst <= c.ccd_s, "timing.ccd_s_clocks is shorter than a burst, " +
                                           std::to_string(c.burst) + " clocks");
}

void check_mapping(const Parameters& p, Faults& faults)
{
    const Organisation& o = p.organisation;
    const auto need = [&](const char* name, Field field, std::uint64_t values) {
        const std::uint64_t has = values_of(p.mapping, field);
        faults.require(has == values, std::string("mapping.low_to_high: ") + name + " has " +
                                          std::to_string(has) + " values, needs " +
                                          std::to_string(values) +
                                          "; a field without a number of bits gets what it needs");
    };
    need("column", Field::Column, p.bursts_per_row());
    need("channel", Field::Channel, o.channels);
    need("bank_group", Field::BankGroup, o.bank_groups);
    need("bank", Field::Bank, o.banks);
    need("rank", Field::Rank, o.ranks);
    need("row", Field::Row, o.rows);
    unsigned channel_parts = 0;
    for (const AddressField& part : p.mapping.low_to_high)
        channel_parts += part.field == Field::Channel ? 1 : 0;
    faults.require(channel_parts <= 1, "mapping.low_to_high: channel must be one field");
}

void check_controller(const Parameters& p, Faults& faults)
{
    const Controller& c = p.controller;
    faults.positive("controller.read_queue", c.read_queue);
    faults.positive("controller.write_queue", c.write_queue);
    faults.positive("controller.bytes_per_turn", c.bytes_per_turn);
    faults.positive("controller.write_high", c.write_high);
    faults.positive("controller.batch", c.batch);
    faults.positive("controller.patience", c.patience);
    faults.require(c.write_high <= c.write_queue,
                   "controller.write_high must be at most controller.write_queue");
    faults.positive("controller.refresh_slack", c.refresh_slack);
    const std::uint64_t allowed = std::uint64_t{p.timing.postponed_refreshes} *
                                  (p.refresh == RefreshMode::PerBank ? p.banks_per_rank() : 1);
    faults.require(c.refresh_slack <= allowed,
                   "controller.refresh_slack exceeds the " + std::to_string(allowed) +
                       " refreshes that timing.postponed_refreshes allows");
    const CommandBus& b = p.command_bus;
    faults.positive("command_bus.activate_clocks", b.activate_clocks);
    faults.positive("command_bus.column_clocks", b.column_clocks);
    faults.positive("command_bus.precharge_clocks", b.precharge_clocks);
    faults.positive("command_bus.refresh_clocks", b.refresh_clocks);
    faults.require(b.activate_window == 0 ||
                       (b.activate_clocks >= 2 && b.activate_window >= b.activate_clocks / 2),
                   "command_bus.activate_window is for an activate of two commands: it needs "
                   "activate_clocks of at least 2 and must be at least half of activate_clocks");
}

} // namespace

unsigned beats_per_clock(const Parameters& parameters)
{
    const Wide rate = parameters.organisation.data_rate, clock = parameters.timing.clock;
    for (const unsigned beats : {2, 4, 8, 16})
        if (rate * (clock + 1) > beats * ps_per_second &&
            rate * (clock - 1) < beats * ps_per_second)
            return beats;
    return 0;
}

std::uint64_t values_of(const Mapping& mapping, Field field)
{
    constexpr Wide most = Wide{1} << 63;
    Wide values = 1;
    for (const AddressField& part : mapping.low_to_high)
        if (part.field == field)
            values = std::min(values * part.values, most);
    return static_cast<std::uint64_t>(values);
}

std::vector<std::string> validate(const Parameters& parameters)
{
    Faults faults;
    check_organisation(parameters, faults);
    if (faults.found.empty())
        check_timing(parameters, faults);
    if (faults.found.empty()) {
        check_mapping(parameters, faults);
        check_controller(parameters, faults);
    }
    return faults.found;
}

Clocks clocks(const Parameters& parameters)
{
    const Timing& t = parameters.timing;
    const auto up = [&t](Picoseconds ps) { return (ps + t.clock - 1) / t.clock; };
    // A burst's time in clocks, rounded up: rates are not always whole clocks in ps.
    const std::uint64_t beats_per_clock_e12 = parameters.organisation.data_rate * t.clock;
    const std::uint64_t burst = // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): both are checked
        (parameters.organisation.burst_length * ps_per_second + beats_per_clock_e12 - 1) /
        beats_per_clock_e12;
    return Clocks{up(t.read_latency),
                  up(t.write_latency),
                  burst,
                  up(t.rcd_read),
                  up(t.rcd_write),
                  up(t.rp),
                  up(t.rp_all),
                  up(t.ras),
                  up(t.rc),
                  up(t.rrd_s),
                  up(t.rrd_l),
                  up(t.faw),
                  up(t.wr),
                  up(t.rtp),
                  up(t.wtr_s),
                  up(t.wtr_l),
                  up(t.rfc_all),
                  up(t.rfc_bank),
                  up(t.refresh_to_activate),
                  up(t.refresh_to_refresh),
                  t.ccd_s_clocks,
                  t.ccd_l_clocks,
                  t.turnaround_clocks,
                  t.rank_clocks,
                  t.ppd_clocks,
                  t.refi / t.clock};
}

} // namespace levee::dram
