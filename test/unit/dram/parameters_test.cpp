// SPDX-License-Identifier: Apache-2.0
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <set>
#include <tuple>

using namespace levee;
using namespace levee::dram_test;

namespace {

std::string faults_of(const dram::Parameters& parameters)
{
    std::string all;
    for (const std::string& fault : dram::validate(parameters))
        all += fault + "\n";
    return all;
}

/// Returns the bandwidth of one stream alone, by the fast model.
double achieved(dram::DramTiming& timing, const dram_cycle::Stream& stream)
{
    const FlowUse use{&timing, stream.direction, stream.pattern, stream.bytes};
    const FlowUse* const mix[] = {&use};
    const StreamDemand demand[] = {{std::numeric_limits<double>::infinity()}};
    double ps_per_byte[] = {0.0};
    timing.price(mix, demand, ps_per_byte);
    return 1e12 / ps_per_byte[0];
}

} // namespace

TEST_CASE("the shipped standards reach their stated bandwidth and capacity", "[parameters]")
{
    CHECK(standard("lpddr4").peak_bytes_per_s() == 64e9);
    CHECK(standard("lpddr4").organisation.capacity_bytes == 16384 * MiB);
    CHECK(standard("lpddr5").peak_bytes_per_s() == Approx(51.2e9));
    CHECK(standard("lpddr5x_cambricon").peak_bytes_per_s() == 40e9);
    CHECK(standard("hbm2").peak_bytes_per_s() == 256e9);
}

TEST_CASE("impossible parameters are named", "[parameters]")
{
    dram::Parameters good = standard("lpddr4");
    REQUIRE(faults_of(good).empty());
    auto broken = good;
    broken.organisation.capacity_bytes *= 2;
    CHECK(faults_of(broken).find("organisation.capacity") != std::string::npos);
    broken = good;
    broken.organisation.banks = 6;
    CHECK(faults_of(broken).find("organisation.banks must be a power of two, not 6") !=
          std::string::npos);
    broken = good;
    broken.timing.rc = broken.timing.ras - 1;
    CHECK(faults_of(broken).find("timing.rc") != std::string::npos);
    broken = good;
    broken.timing.faw = broken.timing.refi + 1;
    CHECK(faults_of(broken).find("timing.faw of ") != std::string::npos);
    CHECK(faults_of(broken).find("is longer than timing.refi") != std::string::npos);
    broken = good;
    broken.timing.rank_clocks = 1'000'000;
    CHECK(faults_of(broken).find("timing.rank_clocks of 1000000 clocks is longer than "
                                 "timing.refi, 3903750 ps") != std::string::npos);
    broken = good;
    // With this value, streams would take an extremely long time.
    broken.command_bus.column_clocks = 4'000'000'000;
    CHECK(faults_of(broken).find("command_bus.column_clocks of 4000000000 clocks is longer") !=
          std::string::npos);
    broken = good;
    broken.timing.refi = 400'000;
    CHECK(faults_of(broken).find("no time for anything else") != std::string::npos);
    broken = good;
    broken.mapping.low_to_high[0].values = 16;
    CHECK(faults_of(broken).find("mapping.low_to_high: column has 128 values, needs 64") !=
          std::string::npos);
    broken = good;
    broken.controller.write_high = 65;
    CHECK(faults_of(broken).find("controller.write_high") != std::string::npos);
    broken = good;
    broken.controller.refresh_slack = 65;
    CHECK(faults_of(broken).find("controller.refresh_slack") != std::string::npos);
    CHECK_THROWS_WITH(dram::DramTiming("dram", broken),
                      Catch::Matchers::Contains("controller.refresh_slack"));
}

TEST_CASE("data rates at which no burst ends between refreshes are refused", "[parameters]")
{
    const auto at = [](const std::string& name, std::uint64_t rate) {
        dram::Parameters p = standard(name);
        const unsigned beats = dram::beats_per_clock(p);
        p.organisation.data_rate = rate;
        p.timing.clock = beats * 1'000'000'000'000 / rate;
        return faults_of(p);
    };
    for (const char* const name : {"lpddr4", "hbm2"}) {
        INFO(name);
        for (const std::uint64_t rate : {1'000'000, 5'000'000, 10'000'000})
            CHECK(at(name, rate).find("a higher organisation.data_rate") != std::string::npos);
        CHECK(at(name, 200'000'000).empty());
    }
    CHECK(at("ddr5", 10'000'000).empty()); // All-bank refreshes are farther apart: a burst fits.
}

TEST_CASE("more channels than prices can handle are refused", "[parameters]")
{
    dram::Parameters many = standard("lpddr4");
    many.organisation.channels = 512;
    CHECK(faults_of(many).find("organisation.channels must be at most 256, not 512") !=
          std::string::npos);
}

TEST_CASE("refreshes that leave a bank no time for a row are refused", "[parameters]")
{
    // A refresh interval must hold the refresh and a row cycle. With all_bank, the precharge and a
    // whole burst must fit, too. For hbm2 the sums are 356 ns with all_bank, and 207 ns with
    // refreshes per bank.
    dram::Parameters all = standard("hbm2");
    all.refresh = dram::RefreshMode::AllBank;
    for (const Picoseconds refi : {270'000, 310'000, 356'000}) {
        all.timing.refi = refi;
        CHECK(faults_of(all).find("timing.rfc_all); expected more than 356000 ps") !=
              std::string::npos);
    }
    all.timing.refi = 357'000;
    CHECK(faults_of(all).empty());
    dram::DramTiming timing("dram", all);
    CHECK(achieved(timing, sequential(Direction::Read, 0, MiB)) > 0);
    dram::Parameters per_bank = standard("hbm2");
    per_bank.timing.refi = 207'000;
    CHECK(faults_of(per_bank).find("timing.rfc_bank); expected more than 207000 ps") !=
          std::string::npos);
    per_bank.timing.refi = 208'000;
    CHECK(faults_of(per_bank).empty());
}

TEST_CASE("a standard's file is read strictly", "[parameters]")
{
    const auto read = [](const std::string& text) {
        return config::read_dram_parameters(config::parse_yaml(text, "x.yaml"), "dram");
    };
    CHECK_THROWS_WITH(read("standard: X\nrefresh: sometimes\n"),
                      Catch::Matchers::Contains("x.yaml:2:10") &&
                          Catch::Matchers::Contains("per_bank"));
    CHECK_THROWS_WITH(read("standard: X\nrefresh: per_bank\n"),
                      Catch::Matchers::Contains("organisation"));
    CHECK_THROWS_WITH(read("standard: X\nrefresh: per_bank\norganisation: {chanels: 8}\n"),
                      Catch::Matchers::Contains("channels"));
}

TEST_CASE("every burst has a separate place", "[map]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = standard(name);
    const dram::AddressMap map(parameters);
    const std::uint64_t bursts = 8 * MiB / parameters.burst_bytes();
    std::set<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>> places;
    std::vector<std::uint64_t> per_channel(parameters.organisation.channels, 0);
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {
        const dram::Location at = map.locate(burst);
        REQUIRE(at.channel < parameters.organisation.channels);
        REQUIRE(at.rank < parameters.organisation.ranks);
        REQUIRE(at.bank < parameters.banks_per_rank());
        REQUIRE(at.column < parameters.bursts_per_row());
        places.emplace(at.channel, at.rank, at.bank, at.row, at.column);
        ++per_channel[at.channel];
    }
    CHECK(places.size() == bursts);
    for (const std::uint64_t count : per_channel)
        CHECK(count == bursts / per_channel.size());
}

TEST_CASE("a walk transfers each byte once, and pieces share bursts", "[walk]")
{
    // The runs take 4 of every 8 bytes, so four runs share a burst of 32 bytes.
    AccessPattern pattern{0x1000, 4, {64, 1, 1}, {8, 0, 0}, false};
    dram::BurstWalk walk(pattern, pattern.bytes(), 32, 1);
    unsigned steps = 0;
    std::uint64_t bytes = 0;
    for (; !walk.done(); ++steps) {
        const auto step = walk.next();
        CHECK(step.burst == 0x1000 / 32 + steps);
        bytes += step.useful_bytes;
    }
    CHECK(steps == 16);
    CHECK(bytes == pattern.bytes());
}

TEST_CASE("bandwidth follows from the bursts and rows that the accesses need", "[price]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = standard(name);
    dram::DramTiming timing("dram", parameters);
    const double peak = parameters.peak_bytes_per_s();
    const double sequential_reads = achieved(timing, sequential(Direction::Read, 0, MiB));
    CHECK(sequential_reads > 0.97 * peak);
    CHECK(sequential_reads <= peak);
    // Each access to 4 bytes moves a whole burst.
    const double scattered_words =
        achieved(timing, random(Direction::Read, 0, MiB, 4, 64 * MiB, 1));
    CHECK(scattered_words < peak * 4 / parameters.burst_bytes());
    // tFAW limits the rows opened in each rank.
    const double scattered_lines =
        achieved(timing, random(Direction::Read, 0, MiB, 64, 256 * MiB, 1));
    const double most_rows = 4e12 / static_cast<double>(parameters.timing.faw) *
                             parameters.organisation.ranks * parameters.organisation.channels;
    CHECK(scattered_lines < most_rows * 64);
    CHECK(scattered_lines < sequential_reads);

    dram::Parameters slow = parameters;
    slow.timing.faw *= 4;
    dram::DramTiming slowed("dram", slow);
    CHECK(achieved(slowed, random(Direction::Read, 0, MiB, 64, 256 * MiB, 1)) <
          0.6 * scattered_lines);
    CHECK(achieved(slowed, sequential(Direction::Read, 0, MiB)) > 0.9 * peak);
}

TEST_CASE("a price does not depend on earlier prices", "[price]")
{
    const dram::Parameters parameters = standard("lpddr4");
    const auto a = sequential(Direction::Read, 0, MiB);
    const auto b = random(Direction::Write, 0, MiB, 64, 64 * MiB, 1);
    dram::DramTiming one("dram", parameters);
    dram::DramTiming two("dram", parameters);
    const double first = achieved(one, a);
    CHECK(achieved(two, b) > 0.0);
    CHECK(achieved(two, a) == first);
    CHECK(achieved(one, a) == first);
    auto elsewhere = a;
    elsewhere.pattern.address = 3 * MiB + 4096;
    CHECK(achieved(one, elsewhere) == first);
}

TEST_CASE("rare all-bank refreshes cost no more to price", "[price]")
{
    dram::Parameters parameters = standard("ddr5");
    const auto bursts = [&parameters](Picoseconds refi, double& ps_per_byte) {
        parameters.timing.refi = refi;
        const dram::AddressMap map(parameters);
        const dram::MixStream stream{AccessPattern{0, MiB, {1, 1, 1}, {0, 0, 0}, false}};
        dram::MixSchedule schedule(parameters, dram::clocks(parameters), map, {&stream, 1}, 0, 0);
        ps_per_byte = schedule.run({128, 384}).ps_per_byte[0];
        return schedule.bursts_scheduled();
    };
    double rare = 0.0, seldom = 0.0, often = 0.0;
    // The limit counts the channels and the bursts in flight.
    CHECK(bursts(3'900'000'000, rare) <= 2 * (128 + 384 + 64));
    CHECK(bursts(60'000'000, seldom) > 10'000); // A whole refresh interval was simulated.
    bursts(3'900'000, often);
    CHECK(seldom == Approx(rare).epsilon(0.01));
    CHECK(often > 1.04 * rare);
}

TEST_CASE("refreshes are counted from the time alone", "[price]")
{
    const dram::Parameters parameters = standard("lpddr4");
    dram::DramTiming timing("dram", parameters);
    CHECK(timing.refreshes(0) == 0);
    CHECK(timing.refreshes(10 * parameters.timing.refi) == 10 * 8 * 2);
}
