// SPDX-License-Identifier: Apache-2.0
// Tests which figures of a sampled run have an error bound.
#include "platform/run/sampled.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace levee;

namespace {

/// Returns the plan for a prefill of six chunks and 100 steps. It simulates `more` chunks and
/// `more` steps in addition to the first and the last.
sampling::Plan plan(std::uint32_t more_chunks, std::uint32_t more_steps)
{
    sampling::Plan plan;
    plan.chunks_of_entry = 6;
    plan.steps = 100;
    plan.chunks = sampling::choose(plan.chunks_of_entry, 2 + more_chunks, {});
    plan.done_steps = sampling::choose(plan.steps, 2 + more_steps, {});
    return plan;
}

Results results(double factor)
{
    Results results;
    for (const char* name : {"sim.seconds", "prefill.seconds", "decode.seconds", "energy.total_j",
                             "energy.phase.decode_j", "bounds.prefill.rsa.load_seconds"})
        results.metrics[name] = 8.0 * factor;
    return results;
}

/// Returns errors from two variations, each of which reduces every figure by an eighth.
SamplingErrors errors(const sampling::Plan& plan, sampling::Between between = {true, true})
{
    const ErrorBound sum = [](std::span<const double> changes) {
        return std::abs(changes[0]) + std::abs(changes[1]);
    };
    return sampling_errors(plan, sum, {results(0.875), results(0.875)}, between, results(1));
}

/// Returns the names of the error bounds in the results.
std::vector<std::string> bounded(const sampling::Plan& plan,
                                 sampling::Between between = {true, true})
{
    Results whole = results(1);
    add_sampling(plan, errors(plan, between), whole);
    std::vector<std::string> names;
    for (const auto& [name, value] : whole.metrics)
        if (name.starts_with("sampling.error."))
            names.push_back(name.substr(std::string("sampling.error.").size()));
    return names;
}

} // namespace

TEST_CASE(
    "only Levee reports how a run was sampled, and a program's figures of these names are dropped")
{
    Results whole = results(1);
    whole.metrics["sampling.steps"] = std::uint64_t{7};
    whole.metrics["sampling.error.sim.seconds"] = 0.0;
    add_sampling(plan(1, 1), errors(plan(1, 1)), whole);
    CHECK(whole.metrics["sampling.steps"] == Metric(std::uint64_t{3}));
    CHECK(whole.metrics["sampling.error.sim.seconds"] == Metric(0.25));
}

TEST_CASE("a figure has an error bound if samples of its phase or of both phases could be left out")
{
    using Names = std::vector<std::string>;
    CHECK(bounded(plan(0, 0)).empty());
    CHECK(bounded(plan(2, 0)) == Names{"prefill.seconds"});
    CHECK(bounded(plan(0, 2)) == Names{"decode.seconds"});
    const Names all{"decode.seconds", "energy.total_j", "prefill.seconds", "sim.seconds"};
    CHECK(bounded(plan(2, 2)) == all);
    CHECK(bounded(plan(4, 2)) == all); // All chunks are simulated, so they have no error.
}

TEST_CASE(
    "a phase without two consecutive parts has no bound, because the cost of marks is unknown")
{
    using Names = std::vector<std::string>;
    CHECK(bounded(plan(4, 2), {false, true}) ==
          Names{"decode.seconds", "energy.total_j", "sim.seconds"});
    CHECK(bounded(plan(4, 2), {true, false}) == Names{"prefill.seconds"});
}

TEST_CASE("the table has a blank if there is no bound")
{
    CHECK(sampling_table(errors(plan(0, 2)), results(1)) == "metric,value,error\n"
                                                            "bounds.prefill.rsa.load_seconds,8,\n"
                                                            "decode.seconds,8,0.25\n"
                                                            "energy.phase.decode_j,8,0.25\n"
                                                            "energy.total_j,8,\n"
                                                            "prefill.seconds,8,\n"
                                                            "sim.seconds,8,\n");
    CHECK(sampling_table(errors(plan(2, 0)), results(1)) ==
          "metric,value,error\n"
          "bounds.prefill.rsa.load_seconds,8,0.25\n"
          "decode.seconds,8,\n"
          "energy.phase.decode_j,8,\n"
          "energy.total_j,8,\n"
          "prefill.seconds,8,0.25\n"
          "sim.seconds,8,\n");
}

TEST_CASE("energy has no bound if a memory is refreshed less often than there are steps")
{
    const sampling::Plan sampled = plan(4, 2);
    const ErrorBound first = [](std::span<const double> changes) { return std::abs(changes[0]); };
    for (const double interval : {7.2e-3, 0.1}) { // A step takes 8 s / 100.
        Results whole = results(1), other = results(0.875);
        for (Results* all : {&whole, &other}) {
            all->metrics["kv_edram.interval_s.low_lsb"] = interval;
            all->metrics["kv_edram.refresh.low_lsb"] = std::uint64_t{64};
        }
        const SamplingErrors found = sampling_errors(sampled, first, {other}, {true, true}, whole);
        INFO(interval);
        CHECK(found.at("energy.total_j").has_value() == (interval < 0.08));
        CHECK(found.at("kv_edram.refresh.low_lsb").has_value() == (interval < 0.08));
        CHECK(found.at("decode.seconds") == 0.125);
    }
}

TEST_CASE("figures in neither phase have no bound, nor has the core if layers are left out")
{
    const ErrorBound first = [](std::span<const double> changes) { return std::abs(changes[0]); };
    for (const bool some_layers : {false, true}) {
        Results whole = results(1), other = results(0.875);
        for (Results* all : {&whole, &other}) {
            for (const char* name : {"energy.phase.other_j", "bounds.other.rsa.idle_seconds",
                                     "core.instructions", "energy.core_j"})
                all->metrics[name] = 8.0;
            all->metrics["sampling.layers"] = some_layers ? 4.0 : 32.0;
            all->metrics["sampling.layers_of"] = 32.0;
        }
        const SamplingErrors found =
            sampling_errors(plan(4, 2), first, {other}, {true, true}, whole);
        CHECK_FALSE(found.at("energy.phase.other_j"));
        CHECK_FALSE(found.at("bounds.other.rsa.idle_seconds"));
        CHECK(found.at("core.instructions").has_value() != some_layers);
        CHECK(found.at("energy.core_j").has_value() != some_layers);
        CHECK(found.at("decode.seconds") == 0.125);
    }
}

TEST_CASE("a run warns if its energy has no bound")
{
    const auto warnings = [](double interval, double layers) {
        Results whole = results(1);
        whole.metrics["kv_edram.interval_s.low_lsb"] = interval;
        whole.metrics["sampling.layers"] = layers;
        whole.metrics["sampling.layers_of"] = 32.0;
        add_sampling(plan(4, 2), {}, whole);
        return whole.warnings;
    };
    using Catch::Matchers::Contains;
    // This setting has no effect here.
    CHECK(warnings(7.2e-3, 32).at(0).find("sampling.layers is") == 0);
    CHECK_THAT(warnings(0.1, 32).at(0), Contains("samples are shorter than a refresh interval"));
    CHECK_THAT(warnings(1e-6, 4).at(0), Contains("runs with fewer layers refresh other rows"));
}
