// SPDX-License-Identifier: Apache-2.0
#include "core/config/error.hpp"
#include "platform/run/sampling/plan.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::sampling;

namespace {

config::Scenario scenario()
{
    config::Scenario scenario;
    scenario.system.data = DataMode::TimingOnly;
    scenario.workload.emplace();
    scenario.workload->app = "generate";
    scenario.workload->stop_token = "none";
    scenario.workload->max_new_tokens = 300;
    scenario.workload->prefill_chunk = 16;
    scenario.kv_cache.boot.kv.kind = LEVEE_KV_AEP;
    scenario.kv_cache.boot.kv.budget = 150;
    return scenario;
}

PreparedWorkload prepared()
{
    PreparedWorkload work;
    work.sequences.assign(3, EncodedSequence{std::vector<std::uint32_t>(90, 0), 90, 0, {}});
    work.batch = 3;
    return work;
}

config::SamplingConfig spread(std::uint32_t steps, std::uint32_t chunks)
{
    config::SamplingConfig config;
    config.steps.count = steps;
    config.chunks.count = chunks;
    return config;
}

bool has(const std::vector<Sample>& samples, std::uint32_t part)
{
    for (const Sample& sample : samples)
        if (sample.part == part)
            return sample.fixed;
    return false;
}

std::string fault(const config::Scenario& of, const PreparedWorkload& work,
                  const config::SamplingConfig& config = spread(8, 4))
{
    try {
        (void)make_plan(config, of, work);
    } catch (const config::Error& error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST_CASE("a plan has the ends of the run, and the parts where its cache becomes full")
{
    const Plan plan = make_plan(spread(24, 4), scenario(), prepared());
    CHECK(plan.entries == 3);
    CHECK(plan.chunks_of_entry == 6);
    CHECK(plan.steps == 299);
    CHECK(plan.chunks_done() == 12);
    CHECK(plan.done_steps.size() == 24);
    for (const std::uint32_t step : {0u, 1u, 59u, 60u, 61u, 298u}) // The budget is full at 90 + 60.
        CHECK(has(plan.done_steps, step));
    for (const std::uint32_t chunk : {0u, 1u, 4u, 5u})
        CHECK(has(plan.chunks, chunk));
}

TEST_CASE("a plan has the parts where a window becomes full")
{
    const Plan plan = make_plan(spread(24, 6), scenario(), prepared(), 100);
    for (const std::uint32_t step : {9u, 10u}) // The window is full at 90 + 10.
        CHECK(has(plan.done_steps, step));
    const std::uint32_t chunk = scenario().workload->prefill_chunk;
    const Plan early = make_plan(spread(24, 6), scenario(), prepared(), 2 * chunk + 1);
    for (const std::uint32_t number : {2u, 3u})
        CHECK(has(early.chunks, number));
}

TEST_CASE("samples only at ends and kinks estimate no error, and simulating all parts has none")
{
    const Plan few = make_plan(spread(2, 2), scenario(), prepared());
    CHECK_FALSE(few.estimates_prefill()); // Chunks 0, 1, 4 and 5 of 6 are simulated.
    CHECK_FALSE(few.estimates_decode());
    const Plan steps = make_plan(spread(24, 4), scenario(), prepared());
    CHECK_FALSE(steps.estimates_prefill());
    CHECK(steps.estimates_decode());
    CHECK(make_plan(spread(2, 5), scenario(), prepared()).estimates_prefill());
    CHECK(make_plan(spread(2, 6), scenario(), prepared()).estimates_prefill());
    config::SamplingConfig config = spread(24, 5);
    config.steps.list = {0, 298};
    CHECK_FALSE(make_plan(config, scenario(), prepared()).estimates_decode());
    config.steps.list = {0, 7, 298};
    CHECK(make_plan(config, scenario(), prepared()).estimates_decode());
    config.steps.list.clear();
    config.final_length = true;
    CHECK_FALSE(make_plan(config, scenario(), prepared()).estimates_decode());
}

TEST_CASE("samples may be listed")
{
    config::SamplingConfig config = spread(8, 4);
    config.steps.list = {0, 7, 298};
    const Plan plan = make_plan(config, scenario(), prepared());
    CHECK(plan.done_steps.size() == 3);
    PreparedWorkload work = prepared();
    list_samples(plan, work);
    CHECK(work.sample_steps == std::vector<std::uint32_t>{0, 7, 298});
    config.steps.list = {0, 7, 299};
    CHECK_THAT(fault(scenario(), prepared(), config),
               Catch::Contains("'sampling.steps' goes from 0 to 299") &&
                   Catch::Contains("begins with 0 and ends with 298"));
}

TEST_CASE("a workload that cannot be sampled is refused")
{
    config::Scenario of = scenario();
    of.system.data = DataMode::Functional;
    CHECK_THAT(fault(of, prepared()), Catch::Contains("expected 'data: timing_only'"));
    of = scenario();
    of.workload->prefill_chunk = 0;
    CHECK_THAT(fault(of, prepared()), Catch::Contains("'workload.prefill_chunk'"));
    of = scenario();
    of.workload->stop_token = "eos";
    CHECK_THAT(fault(of, prepared()), Catch::Contains("'stop_token: none'"));
    of = scenario();
    of.kv_cache.boot.cpq.key_bits = 4;
    CHECK_THAT(fault(of, prepared()), Catch::Contains("'kv_cache.cpq'"));
    PreparedWorkload work = prepared();
    work.batch = 2;
    CHECK_THAT(fault(scenario(), work), Catch::Contains("supports one batch"));
    work = prepared();
    work.sequences[1].tokens.pop_back();
    CHECK_THAT(fault(scenario(), work), Catch::Contains("prompts of one length"));
}
