// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/sampler.hpp"

#include <catch2/catch.hpp>

#include <utility>

using namespace levee;
using namespace levee::sampling;

namespace {

/// A program with a counter, a level, a phase and a ledger, all set by the test.
struct Program {
    Figures now;
    std::uint64_t bytes = 0, told = 0;
    double busy_s = 0;

    Figures measure(std::uint64_t ps)
    {
        Stats stats;
        stats.add("bytes", bytes);
        stats.add("busy_seconds", busy_s);
        stats.add("longest", bytes, FigureKind::Level);
        stats.add("refreshes", ps / 10, FigureKind::Time);
        now.add("dram", stats);
        now.phases[LEVEE_PHASE_DECODE].ps = ps;
        now.reported["rows"] = told;
        now.ledgers = {{bytes, 2 * bytes}};
        return now;
    }
    void work(std::uint64_t amount)
    {
        bytes += amount;
        told += 10 * amount;
        busy_s += static_cast<double>(amount) / 8;
    }
};

Plan plan_of(std::uint32_t steps, std::uint32_t count)
{
    Plan plan;
    plan.entries = 4;
    plan.chunks_of_entry = 3;
    plan.steps = steps;
    plan.chunks = choose(3, 2, {});
    plan.done_steps = choose(steps, count, {});
    return plan;
}

std::uint64_t count(const Figures& figures, const std::string& name)
{
    return std::get<std::uint64_t>(figures.sums.at(name));
}

/// Runs the plan. The setup takes 5, step i takes 100 + 3 * i, the work between two simulated steps
/// takes 1000, and the end takes 7.
struct Run {
    Program program;
    Sampler sampler;
    std::uint64_t ps = 0;

    explicit Run(const Plan& plan)
        : sampler(plan, [this](std::uint64_t at) { return program.measure(at); })
    {
        work(5);
        for (const Sample& step : plan.done_steps) {
            if (step.part != 0)
                work(1000); // A sampled run does not simulate this work.
            part(LEVEE_MARK_DECODE_STEP, step.part, 100 + 3 * step.part);
        }
        work(7);
    }
    void work(std::uint64_t amount)
    {
        program.work(amount);
        ps += amount;
    }
    void part(levee_mark kind, std::uint32_t index, std::uint64_t amount)
    {
        sampler.mark({kind, index}, true, ps);
        work(amount);
        sampler.mark({kind, index}, false, ps);
    }
};

constexpr std::uint64_t all_steps = 99 * 100 + 3 * (98 * 99 / 2);

} // namespace

TEST_CASE("figures of samples equal those of the whole run if parts lie on a line")
{
    Run run(plan_of(99, 6));
    const Figures end = run.program.measure(run.ps);
    const Figures whole = run.sampler.whole(end);
    CHECK(count(whole, "dram.bytes") == 5 + all_steps + 7);
    CHECK(std::get<double>(whole.sums.at("dram.busy_seconds")) == (5 + all_steps + 7) / 8.0);
    CHECK(whole.phases[LEVEE_PHASE_DECODE].ps == 5 + all_steps + 7);
    CHECK(whole.ledgers.at(0) ==
          std::vector<std::uint64_t>{5 + all_steps + 7, 2 * (5 + all_steps + 7)});
    CHECK(std::get<std::uint64_t>(whole.reported.at("rows")) == 10 * (5 + all_steps + 7));
    CHECK(std::get<std::uint64_t>(whole.levels.at("dram.longest")) ==
          std::get<std::uint64_t>(end.levels.at("dram.longest")));
    CHECK(std::get<std::uint64_t>(whole.times.at("dram.refreshes")) ==
          Approx((5 + all_steps + 7) / 10.0).epsilon(0.001));
    // All steps lie on a straight line, so the result does not change when a sample is left out.
    std::vector<double> changes;
    for (const Figures& figures : run.sampler.varied(end))
        changes.push_back(static_cast<double>(count(figures, "dram.bytes")) -
                          static_cast<double>(5 + all_steps + 7));
    CHECK(run.sampler.bound(changes) == 0);
}

TEST_CASE("work between two simulated steps counts as error of all steps")
{
    Plan plan = plan_of(99, 6);
    const std::uint64_t kinks[] = {1};
    plan.done_steps = choose(99, 6, kinks);
    Run run(plan);
    const Figures end = run.program.measure(run.ps);
    const auto whole = static_cast<double>(count(run.sampler.whole(end), "dram.bytes"));
    std::vector<double> changes;
    for (const Figures& figures : run.sampler.varied(end))
        changes.push_back(static_cast<double>(count(figures, "dram.bytes")) - whole);
    CHECK(run.sampler.bound(changes) == 98 * 1000);
}

TEST_CASE("with final lengths every step counts as the last one")
{
    Plan plan = plan_of(99, 2);
    plan.final_length = true;
    Run run(plan);
    const Figures end = run.program.measure(run.ps);
    CHECK(count(run.sampler.whole(end), "dram.bytes") == 5 + 99 * (100 + 3 * 98) + 7);
}

TEST_CASE("the prefills of the first, the second and the last entry represent all")
{
    Program program;
    Sampler sampler(plan_of(9, 4), [&](std::uint64_t at) { return program.measure(at); });
    const auto part = [&](levee_mark kind, std::uint32_t index, std::uint64_t amount) {
        sampler.mark({kind, index}, true, program.bytes);
        program.work(amount);
        sampler.mark({kind, index}, false, program.bytes);
    };
    // Chunks take 10, 20 and 30. A chunk takes 50 more if any sequence is already in the cache, and
    // 6 more for each sequence there.
    for (const std::uint32_t entry : {0u, 1u, 3u}) {
        const std::uint32_t more = entry == 0 ? 0 : 50 + 6 * entry;
        part(LEVEE_MARK_PREFILL_CHUNK, 3 * entry, 10 + more);
        program.work(1000); // A sampled run does not simulate this work.
        part(LEVEE_MARK_PREFILL_CHUNK, 3 * entry + 2, 30 + more);
    }
    for (std::uint32_t entry = 0; entry < 4; ++entry)
        part(LEVEE_MARK_SELECTION, entry, 1);
    const Figures whole = sampler.whole(program.measure(program.bytes));
    CHECK(count(whole, "dram.bytes") == 4 * (10 + 20 + 30) + 3 * (3 * 50 + 6 * (1 + 2 + 3)) + 4);
}

TEST_CASE("work between prefill and decoding counts once")
{
    Program program;
    Plan plan = plan_of(1, 2);
    plan.entries = plan.chunks_of_entry = 1;
    plan.chunks = choose(1, 2, {});
    Sampler sampler(plan, [&](std::uint64_t at) { return program.measure(at); });
    for (const levee_mark kind : {LEVEE_MARK_PREFILL_CHUNK, LEVEE_MARK_DECODE_STEP}) {
        sampler.mark({kind, 0}, true, 0);
        program.work(2);
        sampler.mark({kind, 0}, false, 0);
        program.work(3);
    }
    CHECK(count(sampler.whole(program.measure(0)), "dram.bytes") == 2 + 3 + 2 + 3);
}

TEST_CASE(
    "without consecutive chunks, work after the last chunk represents the work between chunks")
{
    Program program;
    Plan plan = plan_of(2, 2);
    plan.entries = 1;
    plan.chunks_of_entry = 5;
    plan.chunks = choose(5, 2, {});
    Sampler sampler(plan, [&](std::uint64_t at) { return program.measure(at); });
    const auto part = [&](levee_mark kind, std::uint32_t index) {
        sampler.mark({kind, index}, true, program.bytes);
        program.work(100);
        sampler.mark({kind, index}, false, program.bytes);
    };
    part(LEVEE_MARK_PREFILL_CHUNK, 0);
    program.work(1000); // This work is not simulated in a sampled run.
    part(LEVEE_MARK_PREFILL_CHUNK, 4);
    program.work(3); // This is work between prefill and decoding.
    part(LEVEE_MARK_DECODE_STEP, 0);
    program.work(7);
    part(LEVEE_MARK_DECODE_STEP, 1);
    CHECK_FALSE(sampler.between().chunks);
    CHECK(sampler.between().steps);
    const Figures end = program.measure(program.bytes);
    const auto whole = static_cast<double>(count(sampler.whole(end), "dram.bytes"));
    std::vector<double> changes;
    for (const Figures& figures : sampler.varied(end))
        changes.push_back(static_cast<double>(count(figures, "dram.bytes")) - whole);
    CHECK(sampler.bound(changes) == 5 * 3 + 7);
}

TEST_CASE("a part that is not one of the samples is an error")
{
    Program program;
    Sampler sampler(plan_of(99, 6), [&](std::uint64_t at) { return program.measure(at); });
    sampler.mark({LEVEE_MARK_DECODE_STEP, 1}, true, 0);
    CHECK_THROWS_WITH(sampler.mark({LEVEE_MARK_DECODE_STEP, 1}, false, 0),
                      "sampling: the program simulated part 1, which is not a sample");
}

TEST_CASE("a run without parts has the figures of its end")
{
    Program program;
    const Sampler sampler(plan_of(99, 6), [&](std::uint64_t at) { return program.measure(at); });
    program.work(5);
    CHECK(count(sampler.whole(program.measure(0)), "dram.bytes") == 5);
}

namespace {

/// Steps of a model with 14 layers of two kinds: 8 take `first`, 6 take `second`, and the rest of
/// the step takes 5. Each step runs with 2 layers of each kind, and with 4 of one kind.
struct Layers {
    std::uint64_t first = 30, second = 7;
    /// Additional time of a pass through more than two layers of a kind.
    std::uint64_t more_than_two = 0;
    Program program;
    Sampler sampler;

    explicit Layers(const Plan& plan)
        : sampler(plan, [this](std::uint64_t at) { return program.measure(at); })
    {
    }
    void run(levee_mark kind, std::uint32_t index, std::uint64_t of_first, std::uint64_t of_second,
             std::int32_t times)
    {
        const hostlink::MarkedPart part{kind, index, times};
        const bool more = of_first > 2 || of_second > 2;
        sampler.mark(part, true, program.bytes);
        program.work(5 + of_first * first + of_second * second + (more ? more_than_two : 0));
        sampler.mark(part, false, program.bytes);
    }
    void step(levee_mark kind, std::uint32_t index, bool checks)
    {
        // The runs with 4 layers of one kind have two layers more than the run with 2 of each. The
        // remaining layers of the two kinds are (8 - 2) / 2 = 3 and (6 - 2) / 2 = 2 times these two
        // layers.
        constexpr int once = LEVEE_MARK_ONCE;
        if (checks)
            run(kind, index, 6, 6, 0);
        run(kind, index, 2, 2, once - 3 * once - 2 * once);
        run(kind, index, 4, 2, 3 * once);
        run(kind, index, 2, 4, 2 * once);
    }
    /// Returns the error bound and the figure itself.
    std::pair<double, std::uint64_t> bytes()
    {
        const Figures end = program.measure(program.bytes);
        const std::uint64_t whole = count(sampler.whole(end), "dram.bytes");
        std::vector<double> changes;
        for (const Figures& figures : sampler.varied(end))
            changes.push_back(static_cast<double>(count(figures, "dram.bytes")) -
                              static_cast<double>(whole));
        return {sampler.bound(changes), whole};
    }
};

Plan plan_of_steps(std::uint32_t steps)
{
    Plan plan = plan_of(steps, steps);
    plan.entries = plan.chunks_of_entry = 1;
    plan.chunks = choose(1, 2, {});
    return plan;
}

} // namespace

TEST_CASE("parts that run with some layers of each kind add up to the whole model")
{
    Layers layers(plan_of_steps(3));
    for (std::uint32_t step = 0; step < 3; ++step)
        layers.step(LEVEE_MARK_DECODE_STEP, step, step != 1);
    const auto [bound, whole] = layers.bytes();
    CHECK(whole == 3 * (5 + 8 * 30 + 6 * 7));
    CHECK(bound == 0);
}

TEST_CASE("figures that do not grow evenly with the layers are within a bound")
{
    Layers layers(plan_of_steps(3));
    layers.more_than_two = 11;
    for (std::uint32_t step = 0; step < 3; ++step)
        layers.step(LEVEE_MARK_DECODE_STEP, step, step == 2);
    const auto [bound, whole] = layers.bytes();
    // A step of the whole model takes the additional 11 once. The extrapolation multiplies it like
    // the layers: by 3 for the first kind and by 2 for the second.
    CHECK(whole == 3 * (5 + 8 * 30 + 6 * 7 + 3 * 11 + 2 * 11));
    CHECK(bound == 3 * 2 * (4 * 11 - 11)); // The first kind is extrapolated from 4 to 8 layers,
                                           // twice as far as the check from 4 to 6.
    CHECK(bound >= 3 * 4 * 11);            // The bound covers the actual error.
}

TEST_CASE("tokens of a part that is run several times count once")
{
    Layers layers(plan_of_steps(1));
    const auto run = [&](std::int32_t times, std::uint64_t tokens) {
        const hostlink::MarkedPart part{LEVEE_MARK_DECODE_STEP, 0, times};
        layers.sampler.mark(part, true, 0);
        layers.program.now.phases[LEVEE_PHASE_DECODE].tokens += tokens;
        layers.sampler.mark(part, false, 0);
    };
    run(-2 * LEVEE_MARK_ONCE, 0);
    run(3 * LEVEE_MARK_ONCE, 4);
    const Figures whole = layers.sampler.whole(layers.program.measure(0));
    CHECK(whole.phases[LEVEE_PHASE_DECODE].tokens == 4);
}

TEST_CASE("work that represents omitted work is not part of the run")
{
    Layers layers(plan_of_steps(2));
    layers.step(LEVEE_MARK_PREFILL_CHUNK, 0, false);
    layers.program.work(3); // This work belongs to the whole run.
    const hostlink::MarkedPart left_out{LEVEE_MARK_LEFT_OUT, 0, 0};
    layers.sampler.mark(left_out, true, 0);
    layers.program.work(1000);
    layers.sampler.mark(left_out, false, 0);
    layers.program.work(4); // This work belongs to the whole run.
    for (std::uint32_t step = 0; step < 2; ++step)
        layers.step(LEVEE_MARK_DECODE_STEP, step, false);
    CHECK(layers.bytes().second == 3 * (5 + 8 * 30 + 6 * 7) + 3 + 4);
}
