// SPDX-License-Identifier: Apache-2.0
// Tests which streams of a run are scheduled with `controller.prices: automatic`.
#include "ip/dram/price_choice.hpp"
#include "ip/dram/stream_activity.hpp"
#include "test/unit/dram/mixes.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace levee;
using namespace levee::dram_test;

namespace {

constexpr Picoseconds us = 1'000'000, ms = 1000 * us;

/// Generates consecutive streams of a given size that use a given share of the peak rate.
class Traffic {
public:
    explicit Traffic(const dram::Parameters& parameters)
        : choice(parameters), bytes_per_ps_(parameters.peak_bytes_per_s() / 1e12)
    {
    }
    void pass(std::uint64_t bytes, double share, Picoseconds time)
    {
        const auto every =
            static_cast<Picoseconds>(static_cast<double>(bytes) / bytes_per_ps_ / share);
        for (const Picoseconds until = now + time; now < until; now += every) {
            const bool was = choice.schedules();
            choice.begins(bytes, now);
            changes += choice.schedules() != was ? 1 : 0;
        }
    }

    dram::PriceChoice choice;
    Picoseconds now = 200 * us;
    unsigned changes = 0;

private:
    double bytes_per_ps_;
};

/// Returns `count` consecutive short reads and writes at half of the peak rate.
std::vector<Stream> short_transfers(const dram::Parameters& parameters, unsigned count)
{
    constexpr std::uint64_t bytes = 8 * KiB;
    const double ps = bytes * 1e12 / parameters.peak_bytes_per_s() / 0.5;
    std::vector<Stream> streams;
    for (unsigned i = 0; i < count; ++i) {
        streams.push_back(sequential(i % 8 == 7 ? W : R, i * 37 % 512 * 64 * KiB, bytes));
        streams.back().start = 1000 + static_cast<Picoseconds>(ps * i);
    }
    return streams;
}

dram::Parameters priced(const std::string& name, dram::PriceMode mode)
{
    dram::Parameters parameters = standard(name);
    parameters.controller.prices = mode;
    return parameters;
}

struct Run {
    Picoseconds time = 0; ///< Time of all streams.
    double rows = 0;
    std::uint64_t scheduled = 0;
};

Run run(const std::string& name, dram::PriceMode mode, const std::vector<Stream>& streams)
{
    dram::DramTiming timing("dram", priced(name, mode));
    dram::StreamActivity rows(timing);
    rows.enable();
    Run result;
    Picoseconds last = 0;
    const std::vector<Picoseconds> ends = fast_completions(timing, streams, &rows);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        result.time += ends[i] - streams[i].start;
        last = std::max(last, ends[i]);
    }
    result.rows = static_cast<double>(rows.rows(last));
    result.scheduled = timing.choice().scheduled_bytes();
    return result;
}

} // namespace

TEST_CASE("a run chooses how its DRAM is priced unless the scenario states it", "[choice]")
{
    CHECK(standard("lpddr4").controller.prices == dram::PriceMode::Automatic);
}

TEST_CASE("streams are scheduled if short transfers matter", "[choice]")
{
    const std::string name = GENERATE("lpddr4", "hbm2");
    Traffic heavy(standard(name));
    heavy.pass(8 * KiB, 0.5, ms);
    CHECK(heavy.changes == 1);
    CHECK(heavy.choice.schedules());
    // Nearly all bytes are scheduled, except for those of the first tens of microseconds.
    CHECK(heavy.choice.scheduled_bytes() > heavy.choice.bytes() * 9 / 10);
    CHECK_FALSE(heavy.choice.misprices(heavy.now));

    Traffic light(standard(name));
    light.pass(8 * KiB, 0.2, 10 * ms);
    Traffic lengthy(standard(name));
    lengthy.pass(64 * KiB, 1.0, 10 * ms);
    for (const Traffic* traffic : {&light, &lengthy}) {
        CHECK(traffic->changes == 0);
        CHECK(traffic->choice.scheduled_bytes() == 0);
        CHECK_FALSE(traffic->choice.misprices(traffic->now));
    }
}

TEST_CASE("a run's first short streams do not matter", "[choice]")
{
    // The inputs of a model are loaded before its weights: 40 streams of 11 KiB at once.
    Traffic traffic(standard("lpddr4"));
    for (unsigned i = 0; i < 40; ++i)
        traffic.choice.begins(11 * KiB, traffic.now);
    CHECK_FALSE(traffic.choice.schedules());
    traffic.pass(4 * MiB, 0.9, ms);
    CHECK(traffic.choice.scheduled_bytes() == 0);
}

TEST_CASE("prices that the scenario states are kept", "[choice]")
{
    Traffic by_kind(priced("lpddr4", dram::PriceMode::ByKind));
    by_kind.pass(8 * KiB, 0.5, ms);
    CHECK(by_kind.choice.scheduled_bytes() == 0);
    CHECK(by_kind.choice.misprices(by_kind.now));
    Traffic by_schedule(priced("lpddr4", dram::PriceMode::BySchedule));
    by_schedule.pass(4 * MiB, 1.0, ms);
    CHECK(by_schedule.choice.scheduled_bytes() == by_schedule.choice.bytes());
}

TEST_CASE("the choice follows long phases, and seldom changes", "[choice]")
{
    Traffic phases(standard("lpddr4"));
    phases.pass(8 * KiB, 0.6, 2 * ms);
    CHECK(phases.choice.schedules());
    phases.pass(4 * MiB, 0.9, 4 * ms);
    CHECK_FALSE(phases.choice.schedules());
    phases.pass(8 * KiB, 0.6, 20 * ms);
    CHECK(phases.choice.schedules());
    CHECK(phases.changes == 3);

    // Phases are so short that the most recent interval contains many of them.
    Traffic rapid(standard("lpddr4"));
    for (unsigned i = 0; i < 200; ++i) {
        rapid.pass(8 * KiB, 0.6, ms / 2);
        rapid.pass(4 * MiB, 0.9, ms / 2);
    }
    CHECK(rapid.changes < 12);
}

TEST_CASE("a run that changes to the schedule takes the same time as one by schedule", "[choice]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2");
    const std::vector<Stream> streams = short_transfers(standard(name), 4000);
    const Run automatic = run(name, dram::PriceMode::Automatic, streams);
    const Run scheduled = run(name, dram::PriceMode::BySchedule, streams);
    const Run by_kind = run(name, dram::PriceMode::ByKind, streams);
    INFO(name);
    CHECK(automatic.scheduled > 0);
    CHECK(automatic.scheduled < scheduled.scheduled);
    const auto share =
        static_cast<double>(automatic.scheduled) / static_cast<double>(scheduled.scheduled);
    const auto mixed = [share](double by_schedule, double kind) {
        return share * by_schedule + (1 - share) * kind;
    };
    CHECK(static_cast<double>(automatic.time) ==
          Approx(mixed(static_cast<double>(scheduled.time), static_cast<double>(by_kind.time)))
              .epsilon(0.03));
    CHECK(automatic.rows == Approx(mixed(scheduled.rows, by_kind.rows)).epsilon(0.05));
}

TEST_CASE("a stream that runs while the choice changes moves each of its bytes once", "[choice]")
{
    const dram::Parameters parameters = standard("lpddr4");
    std::vector<Stream> streams = short_transfers(parameters, 1500);
    // The stream needs a tenth of the peak rate and is priced in both ways.
    const std::uint64_t bytes = 4 * MiB;
    Stream slow = sequential(R, 200 * MiB, bytes);
    slow.least_time = static_cast<Picoseconds>(10.0 * bytes * 1e12 / parameters.peak_bytes_per_s());
    streams.insert(streams.begin(), slow);
    for (const dram::PriceMode mode : {dram::PriceMode::Automatic, dram::PriceMode::BySchedule}) {
        dram::DramTiming timing("dram", priced("lpddr4", mode));
        const Picoseconds end = fast_completions(timing, streams).front();
        CHECK(timing.choice().scheduled_bytes() > 0);
        CHECK(static_cast<double>(end) ==
              Approx(static_cast<double>(slow.least_time)).epsilon(0.01));
    }
}

TEST_CASE("long streams after short ones are priced by kind again", "[choice]")
{
    std::vector<Stream> streams = short_transfers(standard("lpddr4"), 800);
    Picoseconds at = streams.back().start;
    const std::size_t first_long = streams.size();
    for (unsigned i = 0; i < 30; ++i) {
        at += 80 * us;
        streams.push_back(sequential(R, i % 4 * 4 * MiB, 4 * MiB));
        streams.back().start = at;
    }
    const auto ends = [&](dram::PriceMode mode) {
        dram::DramTiming timing("dram", priced("lpddr4", mode));
        std::vector<Picoseconds> times = fast_completions(timing, streams);
        for (std::size_t i = 0; i < times.size(); ++i)
            times[i] -= streams[i].start;
        return times;
    };
    const std::vector<Picoseconds> automatic = ends(dram::PriceMode::Automatic);
    const std::vector<Picoseconds> by_kind = ends(dram::PriceMode::ByKind);
    const std::vector<Picoseconds> scheduled = ends(dram::PriceMode::BySchedule);
    CHECK(automatic.back() == by_kind.back());
    CHECK(automatic[first_long - 1] == scheduled[first_long - 1]);
}

TEST_CASE("the time that a paced block runs next to an unlimited stream is counted")
{
    constexpr std::uint64_t bytes = 4 * MiB;
    const auto mixed = [](dram::PriceMode mode, double share, bool writes) {
        dram::Parameters parameters = priced("lpddr4", mode);
        dram::DramTiming timing("dram", parameters);
        dram::StreamActivity activity(timing);
        std::vector<Stream> streams{sequential(R, 0, bytes)};
        streams[0].least_time =
            static_cast<Picoseconds>(bytes * 1e12 / parameters.peak_bytes_per_s() / share);
        if (writes)
            streams.push_back(sequential(W, 64 * MiB, bytes));
        const auto completed = fast_completions(timing, streams, &activity);
        const Picoseconds end = *std::ranges::max_element(completed);
        return static_cast<double>(activity.paces().time(end)) / static_cast<double>(end);
    };
    using dram::PriceMode;
    CHECK(mixed(PriceMode::ByKind, 0.4, true) > 0.5);
    CHECK(mixed(PriceMode::ByKind, 0.5, true) > 0.5); // the memory limits both
    CHECK(mixed(PriceMode::ByKind, 0.4, false) == 0.0);
    CHECK(mixed(PriceMode::ByKind, 0.05, true) == 0.0); // The buffer makes up for the delays.
    CHECK(mixed(PriceMode::ByKind, 2.0, true) == 0.0);  // The memory is slower than the pace.
    CHECK(mixed(PriceMode::BySchedule, 0.4, true) == 0.0);
}
