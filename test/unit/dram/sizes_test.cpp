// SPDX-License-Identifier: Apache-2.0
// Tests memories with any number of channels, ranks and rows, and bursts that carry check bits with
// their data.
#include "ip/dram/address_map.hpp"
#include "ip/dram/burst_counter.hpp"
#include "ip/dram/burst_walk.hpp"
#include "ip/dram/channel_timing.hpp"
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace levee;
using namespace levee::dram_test;
using Catch::Matchers::Contains;

namespace {

constexpr unsigned channel_counts[] = {3, 5, 6, 12, 24};

/// Returns whether a burst's location is within the memory and equals the location in the
/// cycle-level model.
bool good(const dram::Location& at, std::uint64_t burst, const dram::Parameters& p)
{
    const dram_cycle::Site site = dram_cycle::site_of(burst * p.burst_bytes(), p);
    return at.channel < p.organisation.channels && at.rank < p.organisation.ranks &&
           at.bank < p.banks_per_rank() && at.row < p.organisation.rows &&
           at.column < p.bursts_per_row() && at.channel == site.channel && at.rank == site.rank &&
           at.bank == site.bank && at.row == site.row;
}

/// Returns the number of a location, counting all locations of the memory.
std::uint64_t number(const dram::Location& at, const dram::Parameters& p)
{
    const dram::Organisation& o = p.organisation;
    return (((std::uint64_t{at.channel} * o.ranks + at.rank) * p.banks_per_rank() + at.bank) *
                o.rows +
            at.row) *
               p.bursts_per_row() +
           at.column;
}

std::uint64_t bursts_of(const dram::Parameters& p)
{
    return p.organisation.capacity_bytes / p.burst_bytes();
}

/// Returns whether each location of the memory belongs to exactly one burst.
bool one_to_one(const dram::Parameters& p)
{
    const dram::AddressMap map(p);
    std::vector<bool> taken(bursts_of(p));
    for (std::uint64_t burst = 0; burst < bursts_of(p); ++burst) {
        const dram::Location at = map.locate(burst);
        if (!good(at, burst, p) || taken[number(at, p)])
            return false;
        taken[number(at, p)] = true;
    }
    // Addresses wrap around at the capacity.
    return number(map.locate(bursts_of(p)), p) == number(map.locate(0), p);
}

/// Returns a preset with another number of channels and of rows per bank.
dram::Parameters sized(const std::string& name, unsigned channels, std::uint64_t rows)
{
    const dram::Organisation whole = standard(name).organisation;
    const std::uint64_t bytes = whole.capacity_bytes / whole.channels / whole.rows;
    return standard(name, "channels: " + std::to_string(channels) +
                              "\ncapacity: " + std::to_string(bytes * channels * rows) + " B");
}

/// Returns the number of bursts that each channel moves for a stream.
std::vector<std::uint64_t> per_channel(const dram::Parameters& p, const Stream& stream)
{
    const dram::AddressMap map(p);
    std::vector<std::uint64_t> counts(p.organisation.channels);
    dram::BurstWalk walk(stream.pattern, stream.bytes, p.burst_bytes(), stream.seed);
    while (!walk.done())
        ++counts[map.locate(walk.next().burst).channel];
    return counts;
}

std::vector<std::uint64_t> per_channel_cycle_level(const dram::Parameters& p, const Stream& stream)
{
    std::vector<std::uint64_t> counts(p.organisation.channels);
    dram_cycle::AddressWalk walk(stream.pattern, stream.bytes, p.burst_bytes(), stream.seed);
    while (const auto ask = walk.next())
        ++counts[dram_cycle::site_of(ask->address, p).channel];
    return counts;
}

} // namespace

TEST_CASE("any number of channels and rows maps one to one: small memories completely", "[map]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm3", "ddr5");
    for (const unsigned channels : channel_counts)
        for (const std::uint64_t rows : {1, 3, 4}) {
            INFO(name << ", " << channels << " channels, " << rows << " rows");
            dram::Parameters p = sized(name, channels, rows);
            CHECK(one_to_one(p));
            p.mapping.channel_hash = p.mapping.bank_hash = false;
            CHECK(one_to_one(p));
        }
}

TEST_CASE("any number of channels and rows maps one to one: large memories by samples", "[map]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm3", "ddr5");
    std::mt19937_64 draw(11);
    for (const unsigned channels : channel_counts)
        for (const std::uint64_t rows : {49152, 98304, 196608, 70001}) {
            INFO(name << ", " << channels << " channels, " << rows << " rows");
            const dram::Parameters p = sized(name, channels, rows);
            const dram::AddressMap map(p);
            std::set<std::uint64_t> drawn, places;
            bool all_good = true;
            while (drawn.size() < 2000)
                drawn.insert(draw() % bursts_of(p));
            for (const std::uint64_t burst : drawn) {
                const dram::Location at = map.locate(burst);
                all_good = all_good && good(at, burst, p);
                places.insert(number(at, p));
            }
            CHECK(all_good);
            CHECK(places.size() == drawn.size());
        }
}

TEST_CASE("every field may have any number of values", "[map]")
{
    // HBM3 with 12 dies has three ranks (stack identifiers).
    const dram::Parameters p = standard(
        "hbm3", "organisation: {channels: 6, ranks: 3, bank_groups: 4, banks: 4, rows: 5, page: 1 "
                "KiB, data_bits: 32, burst_length: 8, data_rate: 6400 MT/s}\n"
                "mapping: {low_to_high: [column 1, bank_group, rank, channel, column 2, row, bank, "
                "column], channel_hash: true, bank_hash: true}");
    CHECK(p.organisation.capacity_bytes == 6 * 3 * 16 * 5 * KiB);
    CHECK(one_to_one(p));
}

TEST_CASE("streams are spread evenly over any number of channels", "[map]")
{
    for (const unsigned channels : channel_counts) {
        const dram::Parameters p = sized("lpddr5", channels, 98304);
        // Consecutive blocks visit every channel once per round, with any hash.
        const std::uint64_t round = std::uint64_t{256} * channels * 64;
        for (const std::uint64_t count : per_channel(p, sequential(R, 17 * round, 12 * round)))
            CHECK(count == 12 * round / channels / p.burst_bytes());
        // Without the hash, some of these strides would use a single channel; others are powers of
        // two.
        for (const std::uint64_t stride : {256 * channels, 4096U, 12288U, 65536U}) {
            INFO(channels << " channels, every " << stride << " bytes");
            const std::uint64_t blocks = 2048 * channels;
            const Stream stream =
                strided(R, 0, blocks * 256, 256, static_cast<std::int64_t>(stride));
            for (const std::uint64_t count : per_channel(p, stream))
                CHECK(static_cast<double>(count) ==
                      Approx(2048 * 256 / p.burst_bytes()).epsilon(0.12));
        }
    }
}

TEST_CASE("bursts of a stream are counted by channel as in the cycle-level model", "[map]")
{
    for (const unsigned channels : channel_counts) {
        const dram::Parameters p = sized("lpddr5", channels, 49152);
        const dram::BurstCounter counter(p);
        for (const Stream& stream :
             {sequential(R, 1000, 3 * MiB + 77), strided(W, 12, 900 * KiB, 100, 1500),
              strided(R, 0, 384 * KiB, 64, 6 * KiB)}) {
            const std::vector<std::uint64_t> counts = per_channel(p, stream);
            CHECK(counts == per_channel_cycle_level(p, stream));
            CHECK(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) ==
                  counter.count(stream.pattern, stream.bytes));
        }
    }
}

TEST_CASE("streams in memories of any size end as in the cycle-level model", "[agreement]")
{
    const unsigned channels = GENERATE(3u, 5u, 12u);
    const std::string name = GENERATE("lpddr4", "lpddr5");
    INFO(name << ", " << channels << " channels");
    const dram::Parameters p = sized(name, channels, 49152);
    const std::vector<std::vector<Stream>> mixes{
        {sequential(R, 5 * MiB, 192 * KiB * channels)},
        {strided(R, 0, 128 * KiB * channels, 512, 256 * channels)},
        {random(R, 0, 128 * KiB * channels, 64, 300 * MiB, 3)},
        {sequential(R, 0, 192 * KiB * channels), sequential(W, 77 * MiB, 192 * KiB * channels)}};
    for (const std::vector<Stream>& mix : mixes) {
        const Outcome expected = CycleDram(p).run(mix);
        REQUIRE(expected.faults.empty());
        dram::DramTiming timing("dram", p);
        const std::vector<Picoseconds> ends = fast_completions(timing, mix);
        for (std::size_t i = 0; i < mix.size(); ++i)
            CHECK(static_cast<double>(ends[i]) ==
                  Approx(static_cast<double>(expected.completed[i])).epsilon(0.05));
    }
}

TEST_CASE("the data bus stays idle between ranks for tRTRS", "[ranks]")
{
    const unsigned idle = GENERATE(0U, 2U, 9U);
    dram::Parameters p = standard("lpddr4", "channels: 3");
    p.timing.rank_clocks = idle;
    const dram::Clocks clocks = dram::clocks(p);
    dram::ChannelTiming timing(p, clocks);
    const unsigned other = p.banks_per_rank();
    timing.activate(0, 1, 0);
    timing.activate(other, 1, 100);
    const dram::Clock read = 200;
    CHECK(timing.column(0, false, read) == read + clocks.read_latency + clocks.burst);
    CHECK(timing.column_from(timing.group_of(0), false) == read + clocks.ccd_l);
    CHECK(timing.column_from(timing.group_of(other), false) == read + clocks.burst + idle);
    CHECK(timing.column_from(timing.group_of(0), true) + clocks.write_latency ==
          read + clocks.read_latency + clocks.burst + clocks.turnaround);

    const std::vector<Stream> mix{random(R, 0, 384 * KiB, 32, 300 * MiB, 3)};
    const Outcome expected = CycleDram(p).run(mix);
    REQUIRE(expected.faults.empty());
    dram::DramTiming fast("dram", p);
    CHECK(static_cast<double>(fast_completions(fast, mix)[0]) ==
          Approx(static_cast<double>(expected.total)).epsilon(0.05));
}

TEST_CASE("the number of ranks is a single key of every preset", "[keys]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "lpddr6", "hbm3", "hbm4", "ddr4");
    INFO(name);
    const dram::Organisation one = standard(name, "ranks: 1").organisation;
    CHECK(one.ranks == 1);
    const dram::Parameters two = standard(name, "ranks: 2\nchannels: 3");
    CHECK(two.organisation.ranks == 2);
    CHECK(two.organisation.rows == one.rows);
    CHECK(two.organisation.capacity_bytes == 2 * 3 * (one.capacity_bytes / one.channels));
    dram::Parameters small = two;
    small.organisation.rows = 3;
    small.organisation.capacity_bytes = two.organisation.capacity_bytes / one.rows * 3;
    for (dram::AddressField& field : small.mapping.low_to_high)
        if (field.field == dram::Field::Row)
            field.values = 3;
    CHECK(one_to_one(small));
    // The capacity determines the rows: with two ranks, each has half as many.
    const dram::Parameters same =
        standard(name, "ranks: 2\ncapacity: " + std::to_string(one.capacity_bytes) + " B");
    CHECK(same.organisation.rows == one.rows / 2);
    CHECK_THROWS_WITH(standard(name, "ranks: 33"), Contains("at most 64 banks in a channel"));
}

TEST_CASE("dies of 6, 12 and 24 Gb can be stated as a capacity", "[keys]")
{
    // The width is 16 bits. With 8 banks and 2 KiB pages, one row of all banks is 16 KiB.
    for (const auto& [gigabits, rows] : {std::pair{6, 49152}, {12, 98304}, {24, 196608}}) {
        const std::uint64_t bytes = std::uint64_t(gigabits) << 27;
        const dram::Parameters p =
            standard("lpddr4", "channels: 6\ncapacity: " + std::to_string(12 * bytes) + " B");
        CHECK(p.organisation.rows == static_cast<std::uint64_t>(rows));
        CHECK(dram::values_of(p.mapping, dram::Field::Row) == p.organisation.rows);
    }
    CHECK_THROWS_WITH(standard("lpddr4", "capacity: 1000000 B"),
                      Contains("'dram.capacity' is 1 MB") &&
                          Contains("expected a multiple of 256 KiB, one row in every bank"));
    CHECK_THROWS_WITH(standard("lpddr4", "capacity: 1 KiB"), Contains("expected a multiple of"));
}

TEST_CASE("at a higher temperature banks are refreshed two or four times as often", "[refresh]")
{
    struct Hot {
        const char *name, *refresh;
        /// At four times the rate, LPDDR4 has no time between refreshes of single banks.
        std::vector<unsigned> times;
    };
    const Hot hot = GENERATE(Hot{"lpddr4", "per_bank", {1, 2}}, Hot{"ddr5", "all_bank", {1, 2, 4}});
    const Picoseconds refi = standard(hot.name).timing.refi;
    const Stream stream = sequential(R, 0, 768 * KiB);
    for (const unsigned times : hot.times) {
        INFO(hot.name << ", " << times << "x");
        const dram::Parameters p =
            standard(hot.name, "channels: 1\nrefresh_rate: " + std::to_string(times) + "x");
        CHECK(p.timing.refi == refi / times);
        const Outcome expected = CycleDram(p).run({stream});
        REQUIRE(expected.faults.empty()); // The faults would include a late refresh.
        dram::DramTiming timing("dram", p);
        CHECK(static_cast<double>(fast_completions(timing, {stream})[0]) ==
              Approx(static_cast<double>(expected.total)).epsilon(0.05));
        const unsigned of_a_rank = p.refresh == dram::RefreshMode::AllBank ? 1 : p.banks_per_rank();
        CHECK(timing.refreshes(1'000 * refi) ==
              std::uint64_t{1'000} * times * p.organisation.ranks * of_a_rank);
        // The number of due refreshes, less those that each rank may postpone.
        const double due = static_cast<double>(expected.total) /
                           static_cast<double>(p.timing.refi) * p.organisation.channels *
                           p.organisation.ranks * of_a_rank;
        const unsigned put_off =
            p.organisation.channels * p.organisation.ranks * (p.controller.refresh_slack + 1);
        CHECK(static_cast<double>(expected.refreshes) <= due + put_off);
        CHECK(static_cast<double>(expected.refreshes) >= due - put_off);
    }
    CHECK_THROWS_WITH(standard("lpddr4", "refresh_rate: 3x"),
                      Contains("'dram.refresh_rate' is '3x'"));
    CHECK_THROWS_WITH(standard("lpddr4", "refresh_rate: 4x"),
                      Contains("no time for anything else"));
}

TEST_CASE("the width can be that of any number of channels", "[keys]")
{
    for (const auto& [width, channels] :
         {std::pair{48, 3}, {80, 5}, {96, 6}, {192, 12}, {384, 24}}) {
        const dram::Parameters p = standard("lpddr5", "width: " + std::to_string(width));
        CHECK(p.organisation.channels == static_cast<unsigned>(channels));
        CHECK(p.peak_bytes_per_s() == 6.4e9 * width / 8);
    }
}

TEST_CASE("the bits of a burst that are no data take their time", "[bursts]")
{
    // A burst of 12 bits and 24 beats has 36 bytes, 32 of them data.
    const auto organisation = [](unsigned rate) {
        return "organisation: {channels: 4, ranks: 1, bank_groups: 4, banks: 4, rows: 65536, page: "
               "2 KiB, data_bits: 12, burst_length: 24, burst_data: 32 B, data_rate: " +
               std::to_string(rate) + " MT/s}";
    };
    CHECK_THROWS_WITH(standard("ddr5", organisation(4800)),
                      Contains("timing.ccd_s_clocks is shorter than a burst, 12 clocks"));
    const dram::Parameters p = standard("ddr5", organisation(9600));
    CHECK(p.burst_bytes() == 32);
    CHECK(p.bursts_per_row() == 64);
    CHECK(p.peak_bytes_per_s() == Approx(4 * 9.6e9 * 12 / 8 * 32 / 36));
    CHECK(dram::clocks(p).burst == 6); // The 24 beats take 6 clocks at four beats per clock.

    const auto fault = [&p](unsigned bits, unsigned data) {
        dram::Parameters broken = p;
        broken.organisation.data_bits = bits;
        broken.organisation.burst_data = data;
        return dram::validate(broken).front();
    };
    CHECK_THAT(fault(12, 0), Contains("a burst of 24 beats of 12 bits moves 36 bytes") &&
                                 Contains("expected organisation.burst_data"));
    CHECK_THAT(fault(12, 24), Contains("burst_data must be a power of two, not 24"));
    CHECK_THAT(fault(8, 32), Contains("moves fewer than the 32 bytes"));
}

TEST_CASE("with all-bank refresh, the rate by kind is the same for any number of channels",
          "[sizes]")
{
    // Weights together with a few bytes of scales; only a short span of them is scheduled.
    const auto share_of_peak = [](unsigned channels) {
        const dram::Parameters p = standard("ddr5", "channels: " + std::to_string(channels));
        dram::DramTiming timing("dram", p);
        std::vector<FlowUse> uses(2);
        for (FlowUse& use : uses)
            use.pattern = AccessPattern{0, 4 * MiB, {1, 1, 1}, {0, 0, 0}, false};
        uses[0].bytes = 4 * MiB;
        uses[1].bytes = uses[1].pattern.run_bytes = 16 * KiB;
        const std::vector<const FlowUse*> mix{&uses[0], &uses[1]};
        const double peak = p.peak_bytes_per_s() / 1e12;
        std::vector<double> price(2);
        timing.price(mix, std::vector<StreamDemand>{{peak, 0}, {0.1 * peak, 1}}, price);
        return 1.0 / (0.8 * price[0] + 0.2 * price[1]) / peak; // The streams have shares of 4 to 1.
    };
    const double four = share_of_peak(4);
    for (const unsigned channels : {3U, 5U, 6U, 9U, 10U, 20U}) {
        INFO(channels << " channels");
        CHECK(share_of_peak(channels) == Approx(four).epsilon(0.02));
    }
}
