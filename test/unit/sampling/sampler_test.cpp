// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/sampler.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::sampling;

namespace {

/// A program with one counter, one level, a phase and a ledger, all driven by hand.
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

/// Runs the plan: a setup of 5, steps of 100 + 3 * index, 1000 between them, an end of 7.
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
                work(1000); // is left out
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
        sampler.mark(kind, index, true, ps);
        work(amount);
        sampler.mark(kind, index, false, ps);
    }
};

constexpr std::uint64_t all_steps = 99 * 100 + 3 * (98 * 99 / 2);

} // namespace

TEST_CASE("figures of samples are those of the whole run where parts lie on a line")
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
    // Of a line no sample says anything that its neighbours do not; between two steps are 1000.
    std::vector<double> changes;
    for (const Figures& figures : run.sampler.varied(end))
        changes.push_back(static_cast<double>(count(figures, "dram.bytes")) -
                          static_cast<double>(5 + all_steps + 7));
    CHECK(run.sampler.bound(changes) == 0);
}

TEST_CASE("what lies between two steps that are done counts as error of all")
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

TEST_CASE("the prefills of the first, the second and the last entry stand for all")
{
    Program program;
    Sampler sampler(plan_of(9, 4), [&](std::uint64_t at) { return program.measure(at); });
    const auto part = [&](levee_mark kind, std::uint32_t index, std::uint64_t amount) {
        sampler.mark(kind, index, true, program.bytes);
        program.work(amount);
        sampler.mark(kind, index, false, program.bytes);
    };
    // Chunks of 10, 20, 30, 50 more if any entry is there already, and 6 for each.
    for (const std::uint32_t entry : {0u, 1u, 3u}) {
        const std::uint32_t more = entry == 0 ? 0 : 50 + 6 * entry;
        part(LEVEE_MARK_PREFILL_CHUNK, 3 * entry, 10 + more);
        program.work(1000); // is left out
        part(LEVEE_MARK_PREFILL_CHUNK, 3 * entry + 2, 30 + more);
    }
    for (std::uint32_t entry = 0; entry < 4; ++entry)
        part(LEVEE_MARK_SELECTION, entry, 1);
    const Figures whole = sampler.whole(program.measure(program.bytes));
    CHECK(count(whole, "dram.bytes") == 4 * (10 + 20 + 30) + 3 * (3 * 50 + 6 * (1 + 2 + 3)) + 4);
}

TEST_CASE("what comes between prefill and decoding counts once")
{
    Program program;
    Plan plan = plan_of(1, 2);
    plan.entries = plan.chunks_of_entry = 1;
    plan.chunks = choose(1, 2, {});
    Sampler sampler(plan, [&](std::uint64_t at) { return program.measure(at); });
    for (const levee_mark kind : {LEVEE_MARK_PREFILL_CHUNK, LEVEE_MARK_DECODE_STEP}) {
        sampler.mark(kind, 0, true, 0);
        program.work(2);
        sampler.mark(kind, 0, false, 0);
        program.work(3);
    }
    CHECK(count(sampler.whole(program.measure(0)), "dram.bytes") == 2 + 3 + 2 + 3);
}

TEST_CASE("where no two chunks follow each other, what comes behind the last stands for what lies "
          "between")
{
    Program program;
    Plan plan = plan_of(2, 2);
    plan.entries = 1;
    plan.chunks_of_entry = 5;
    plan.chunks = choose(5, 2, {});
    Sampler sampler(plan, [&](std::uint64_t at) { return program.measure(at); });
    const auto part = [&](levee_mark kind, std::uint32_t index) {
        sampler.mark(kind, index, true, program.bytes);
        program.work(100);
        sampler.mark(kind, index, false, program.bytes);
    };
    part(LEVEE_MARK_PREFILL_CHUNK, 0);
    program.work(1000); // is left out
    part(LEVEE_MARK_PREFILL_CHUNK, 4);
    program.work(3); // between prefill and decoding
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

TEST_CASE("a part that is none of the samples is an error")
{
    Program program;
    Sampler sampler(plan_of(99, 6), [&](std::uint64_t at) { return program.measure(at); });
    sampler.mark(LEVEE_MARK_DECODE_STEP, 1, true, 0);
    CHECK_THROWS_WITH(sampler.mark(LEVEE_MARK_DECODE_STEP, 1, false, 0),
                      "sampling: the program did part 1, which is none of the samples");
}

TEST_CASE("a run that did nothing is as it ended")
{
    Program program;
    const Sampler sampler(plan_of(99, 6), [&](std::uint64_t at) { return program.measure(at); });
    program.work(5);
    CHECK(count(sampler.whole(program.measure(0)), "dram.bytes") == 5);
}
