// SPDX-License-Identifier: Apache-2.0
// Tests streams that are scheduled burst by burst (`controller.prices: by_schedule`).
#include "test/unit/dram/mixes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace levee;
using namespace levee::dram_test;

namespace {

/// Returns the fast model's time divided by the cycle-level model's for each activity.
std::vector<double> by_cycle_level(const dram::Parameters& parameters,
                                   const std::vector<Stream>& streams)
{
    const Outcome expected = CycleDram(parameters).run(streams);
    for (const std::string& fault : expected.faults) // Short streams do not reach all channels.
        REQUIRE(fault == "no command was checked");
    dram::DramTiming timing("dram", parameters);
    std::vector<double> ratios;
    for (const Took& took :
         times_of(streams, fast_completions(timing, streams), expected.completed))
        ratios.push_back(took.ratio());
    return ratios;
}

/// Deviations from the cycle-level model of the times at which activities end. They are collected
/// over many random mixes of streams.
struct Deviations {
    std::size_t ends = 0, over_tenth = 0;
    double most = 0.0;
    std::string text;
};

Deviations deviations(const dram::Parameters& parameters, Mixes mixes, unsigned number)
{
    Deviations seen;
    for (unsigned n = 0; n < number; ++n)
        for (const double ratio : by_cycle_level(parameters, mixes.draw())) {
            const double off = std::abs(ratio - 1.0);
            ++seen.ends;
            seen.over_tenth += off > 0.1 ? 1 : 0;
            seen.most = std::max(seen.most, off);
        }
    seen.text = std::to_string(seen.over_tenth) + " of " + std::to_string(seen.ends) +
                " over 10 %, at most " + std::to_string(100 * seen.most) + " %";
    return seen;
}

} // namespace

TEST_CASE("by schedule, 99 of 100 ends are within 1 % or a burst of the cycle-level model's",
          "[schedule]")
{
    struct Memory {
        std::string standard, more;
    };
    const auto memory = GENERATE(Memory{"lpddr4", ""}, Memory{"lpddr4", "refresh: all_bank"},
                                 Memory{"lpddr4", "channels: 3"}, Memory{"lpddr5", ""},
                                 Memory{"hbm2", ""}, Memory{"ddr5", ""});
    const dram::Parameters parameters = scheduled(memory.standard, memory.more);
    const double burst_ps = parameters.burst_bytes() * 1e12 * parameters.organisation.channels /
                            parameters.peak_bytes_per_s();
    Mixes mixes(parameters, {64, 64 * KiB}, 91);
    std::size_t ends = 0, right = 0;
    for (unsigned n = 0; n < 25; ++n) {
        const std::vector<Stream> streams = mixes.draw();
        dram::DramTiming timing("dram", parameters);
        const auto fast = fast_completions(timing, streams);
        for (const Took& took :
             times_of(streams, fast, CycleDram(parameters).run(streams).completed)) {
            const double ps =
                std::abs(static_cast<double>(took.fast) - static_cast<double>(took.cycle));
            ++ends;
            right += std::abs(took.ratio() - 1.0) <= 0.01 || ps <= burst_ps ? 1 : 0;
        }
    }
    INFO(memory.standard << " " << memory.more << ": " << right << " of " << ends);
    CHECK(ends > 100);
    CHECK(100 * right >= 99 * ends);
}

TEST_CASE("any mix of 1 to 16 streams from 2 KiB up, by schedule", "[schedule]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = scheduled(name);
    const Deviations seen =
        deviations(parameters, Mixes(parameters, {2 * KiB, 64 * KiB}, 2024), 40);
    INFO(name << ": " << seen.text);
    CHECK(seen.ends > 150);
    // With prices by kind, more than half of the ends deviate by over a tenth. By schedule, one end
    // still does; ip/dram/exactness.md explains it.
    CHECK(seen.over_tenth <= 1);
    CHECK(seen.most < 0.15);
}

TEST_CASE("mixes with streams that have their own pace, by schedule", "[schedule]")
{
    const dram::Parameters parameters = scheduled("lpddr4");
    const Deviations seen =
        deviations(parameters, Mixes(parameters, {2 * KiB, 64 * KiB, true}, 5), 20);
    INFO(seen.text);
    // An activity that the memory delayed does not catch up later; the cycle-level model agrees.
    CHECK(static_cast<double>(seen.over_tenth) <= 0.06 * static_cast<double>(seen.ends));
    CHECK(seen.most < 0.5);
}

TEST_CASE("consecutive transfers like those of a decoder, by schedule", "[schedule]")
{
    struct Transfer {
        Direction direction;
        std::uint64_t bytes, beside; // `beside`: bytes of a second stream in the same activity, or
                                     // 0.
        double bytes_per_ns;
    };
    const Transfer transfers[]{{R, 256, 0, 18.3},      {R, 12288, 768, 81.9}, {R, 32, 0, 8},
                               {W, 128, 16, 8},        {R, 2560, 320, 38.8},  {R, 4096, 256, 51.2},
                               {R, 22016, 1376, 94.1}, {R, 11008, 256, 77}};
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = scheduled(name);
    std::vector<Stream> streams;
    std::uint64_t address = 0;
    Picoseconds start = 1000;
    for (unsigned n = 0; n < 80; ++n) {
        const Transfer& transfer = transfers[n % std::size(transfers)];
        for (const std::uint64_t bytes : {transfer.bytes, transfer.beside}) {
            if (bytes == 0)
                continue;
            streams.push_back(sequential(transfer.direction, address, bytes));
            streams.back().activity = n + 1;
            streams.back().start = start;
            streams.back().least_time = static_cast<Picoseconds>(
                1000 * static_cast<double>(transfer.bytes) / transfer.bytes_per_ns);
            address += (bytes + 255) / 256 * 256 + 4 * KiB;
        }
        // By then everything is done, except for writes that the controller has accepted.
        start += streams.back().least_time + 400'000 + n * 7919 % 3000;
    }
    dram::DramTiming timing("dram", parameters);
    std::size_t seen = 0;
    std::string off;
    const double burst_ps = static_cast<double>(parameters.timing.clock) * 8;
    for (const Took& took : times_of(streams, fast_completions(timing, streams),
                                     CycleDram(parameters).run(streams).completed)) {
        const double ps =
            std::abs(static_cast<double>(took.fast) - static_cast<double>(took.cycle));
        if (std::abs(took.ratio() - 1) > 0.01 && ps > burst_ps)
            off += ' ' + std::to_string(seen) + ": " + std::to_string(took.fast) + " for " +
                   std::to_string(took.cycle);
        ++seen;
    }
    INFO(name << off);
    CHECK(seen == 80);
    CHECK(off.empty());
}

TEST_CASE("one, two and eight streams of 64 KiB and more, by schedule", "[schedule]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = scheduled(name);
    const auto place = [](unsigned slot) { return slot * (48 * MiB + 20 * KiB); };
    std::vector<Stream> eight;
    for (unsigned i = 0; i < 8; ++i)
        eight.push_back(i % 3 == 2 ? strided(R, place(i), (i + 1) * 64 * KiB, 64, 4096)
                                   : sequential(i % 3 == 1 ? W : R, place(i), (i + 1) * 64 * KiB));
    const std::vector<std::vector<Stream>> mixes{
        {sequential(R, 0, 64 * KiB)},
        {sequential(W, 4 * KiB, 2 * MiB)},
        {random(R, 0, 2 * MiB, 64, 256 * MiB, 5)}, // Random places make this stream long.
        {sequential(R, 0, 1 * MiB), sequential(W, place(1) + 5000, 1536 * KiB)},
        {sequential(R, 0, 64 * KiB), strided(R, place(1), 1 * MiB, 64, 4096)},
        eight};
    for (std::size_t m = 0; m < mixes.size(); ++m)
        for (const double ratio : by_cycle_level(parameters, mixes[m])) {
            INFO(name << ", mix " << m);
            CHECK(ratio == Approx(1).margin(0.05));
        }
}

TEST_CASE("short streams open as many rows as in the cycle-level model", "[schedule]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = scheduled(name);
    Mixes mixes(parameters, {2 * KiB, 64 * KiB}, 7);
    std::uint64_t cycle = 0, fast = 0;
    for (unsigned n = 0; n < 8; ++n) {
        const std::vector<Stream> streams = mixes.draw();
        cycle += CycleDram(parameters).run(streams).activates;
        dram::DramTiming timing("dram", parameters);
        const std::vector<Picoseconds> completed = fast_completions(timing, streams);
        fast += timing.scheduled_rows(*std::max_element(completed.begin(), completed.end()));
    }
    INFO(name);
    CHECK(static_cast<double>(fast) == Approx(static_cast<double>(cycle)).epsilon(0.03));
}

namespace {

/// A link with one price for all bytes.
class Link : public FlowResource {
public:
    explicit Link(double ps_per_byte)
        : FlowResource({FlowAccount::Kind::Link, "link"}), ps_per_byte_(ps_per_byte)
    {
    }
    void price(std::span<const FlowUse* const>, std::span<const StreamDemand>,
               std::span<double> ps_per_byte) override
    {
        std::fill(ps_per_byte.begin(), ps_per_byte.end(), ps_per_byte_);
    }

private:
    double ps_per_byte_;
};

FlowUse read_of(FlowResource& resource, std::uint64_t address, std::uint64_t bytes)
{
    return FlowUse{&resource, R, sequential(R, address, bytes).pattern, bytes};
}

Picoseconds finish_next(FlowNetwork& network)
{
    const Picoseconds end = network.next_event();
    network.finish_due(end, [](Activity&) {});
    return end;
}

} // namespace

TEST_CASE("a scheduled stream limited by a slow link or its block leaves the memory to others",
          "[schedule]")
{
    const dram::Parameters parameters = scheduled("lpddr4");
    constexpr std::uint64_t bytes = 64 * KiB;
    const double peak = parameters.peak_bytes_per_s() / 1e12;
    const bool by_link = GENERATE(true, false);
    dram::DramTiming timing("dram", parameters);
    Link link(10 / peak); // The link has a tenth of the memory's rate.
    Activity slow, fast;
    slow.uses = {read_of(timing, 0, bytes)};
    if (by_link)
        slow.uses.push_back(read_of(link, 0, bytes));
    else
        slow.minimum = static_cast<Picoseconds>(bytes * 10 / peak);
    fast.uses = {read_of(timing, 64 * MiB, 4 * bytes)};
    FlowNetwork network;
    network.start(slow, 0);
    network.start(fast, 0);
    CHECK(slow.bound_by == (by_link ? &link : nullptr));
    CHECK(fast.bound_by == &timing);
    // Alone, the fast stream would take 4 / 10 of the slow one's time. So the tenth of the
    // bandwidth that the slow stream uses is not available to it.
    const auto whole = static_cast<double>(bytes * 10 / peak);
    CHECK(static_cast<double>(finish_next(network)) == Approx(whole * 4 / 9).epsilon(0.05));
    CHECK(static_cast<double>(finish_next(network)) == Approx(whole).epsilon(0.02));
}

TEST_CASE("a scheduled stream that is cancelled frees the memory at once", "[schedule]")
{
    const dram::Parameters parameters = scheduled("lpddr4");
    constexpr std::uint64_t bytes = 32 * KiB;
    const auto end_beside = [&](bool cancels) {
        dram::DramTiming fresh("dram", parameters);
        Activity one, other;
        one.uses = {read_of(fresh, 0, bytes)};
        other.uses = {read_of(fresh, 64 * MiB, bytes)};
        FlowNetwork network;
        network.start(one, 0);
        network.start(other, 0);
        if (cancels)
            network.cancel(other, 1000);
        return static_cast<double>(finish_next(network));
    };
    CHECK(end_beside(true) == Approx(end_beside(false) / 2).epsilon(0.1));
}

TEST_CASE("a core's reads among scheduled streams wait as in the cycle-level model", "[schedule]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const dram::Parameters parameters = scheduled(name);
    const Stream stream = sequential(R, 0, 63 * KiB);
    const CoreReads reads{50'000, 4, {64 * MiB, 128 * MiB - 1}, false, 1};
    const double expected = CycleDram(parameters).run({stream}, reads).core_latency_ps;
    dram::DramTiming timing("dram", parameters);
    Activity activity;
    activity.uses = {read_of(timing, 0, 63 * KiB)};
    FlowNetwork network;
    network.start(activity, 0);
    std::mt19937_64 draw(77); // The cycle-level model uses the same seed.
    Picoseconds now = 0, sum = 0;
    unsigned number = 0;
    for (; now < network.next_event(); ++number) {
        const std::uint64_t place = draw() % (64 * MiB / 4);
        const Picoseconds took = timing.core_latency(R, 64 * MiB + 4 * place, 4, now);
        sum += took;
        now += took - parameters.controller.latency + reads.interval;
    }
    INFO(name << ", " << number << " reads");
    CHECK(static_cast<double>(sum) / number == Approx(expected).epsilon(0.1));
}

TEST_CASE("the same scheduled streams end at the same picosecond, also after long idle times",
          "[schedule]")
{
    const dram::Parameters parameters = scheduled("hbm2");
    const auto run = [&] {
        dram::DramTiming timing("dram", parameters);
        Mixes mixes(parameters, {2 * KiB, 64 * KiB}, 3);
        std::vector<Stream> streams = mixes.draw();
        Stream last = sequential(R, 0, 4 * KiB);
        last.start = 2'000'000'000'000; // This stream starts two seconds later.
        streams.push_back(last);
        return fast_completions(timing, streams);
    };
    const std::vector<Picoseconds> once = run();
    CHECK(once == run());
    dram::DramTiming alone("dram", parameters);
    const Picoseconds took = once.back() - 2'000'000'000'000;
    CHECK(static_cast<double>(took) ==
          Approx(static_cast<double>(fast_completions(alone, {sequential(R, 0, 4 * KiB)})[0]))
              .epsilon(0.1));
}
