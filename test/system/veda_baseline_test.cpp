// SPDX-License-Identifier: Apache-2.0
// Tests VEDA's baselines: the same machine with functions on whole vectors, and one with an adder
// tree.
#include "test/system/program.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

/// Returns the seconds of the decode step with `context` cached tokens, including its own.
double step_seconds(const std::string& machine, unsigned context)
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "veda/llama2_7b", "--out", "out", "--set", machine, "--set",
                     "workload.prompt_tokens=" + std::to_string(context - 1), "--set",
                     "workload.max_new_tokens=2", "--set", "workload.context=1100"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("out").at("metrics").at("decode.seconds").get<double>();
}

/// Returns the cycles per head, for 32 layers of 32 heads, that `context` tokens take in addition
/// to two tokens.
double attention_cycles(const std::string& machine, unsigned context)
{
    const double more = step_seconds(machine, context) - step_seconds(machine, 2);
    return more * 1e9 / (32 * 32);
}

const std::string flexible = "system={extends: systems/veda_flexible.yaml}";

std::string adder_tree(const std::string& transpose)
{
    return "system={extends: systems/veda_adder_tree.yaml, blocks: {veda: {transpose: " +
           transpose + "}}}";
}

} // namespace

// By section VI, a head of 128 at l tokens takes three times. These are an inner product of l
// cycles, a softmax in two passes on two lanes (l cycles), and the product with V. The product with
// V is an outer product of l cycles, or 128 inner products of ceil(l / 128) cycles after a pass of
// l cycles. HBM lengthens the reads by 2 %.
TEST_CASE("attention takes the cycles of its two products and of whatever they do not hide")
{
    const unsigned l = 1024;
    const double more = l - 2, tiles = 128 * (l / 128 - 1);
    using Catch::WithinRel;
    CHECK_THAT(attention_cycles("data=timing_only", l), WithinRel(2 * more, 0.03));
    CHECK_THAT(attention_cycles(flexible, l), WithinRel(3 * more, 0.03));
    CHECK_THAT(attention_cycles(adder_tree("true"), l), WithinRel(3 * more + tiles, 0.03));
    CHECK_THAT(attention_cycles(adder_tree("false"), l), WithinRel(2 * more + tiles, 0.03));
}

TEST_CASE("an adder tree wastes the lanes that a length leaves unused")
{
    const double full = attention_cycles(adder_tree("false"), 1024);
    const double one_more = attention_cycles(adder_tree("false"), 1025);
    using Catch::WithinAbs;
    CHECK_THAT(one_more - full, WithinAbs(128 + 3, 13));
    CHECK_THAT(attention_cycles(flexible, 1025) - attention_cycles(flexible, 1024),
               WithinAbs(4, 2));
}

TEST_CASE("without an element-serial unit the embedded model tells the same story")
{
    const Workplace place;
    for (const char* out : {"serial", "whole"}) {
        const Outcome outcome =
            place.levee({"run", "veda/demo", "--out", out, "--set",
                         out == std::string("whole") ? flexible : std::string("data=functional"),
                         "--set", "workload.max_new_tokens=40"});
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
    }
    CHECK(place.results("serial").at("tokens") == place.results("whole").at("tokens"));
}

TEST_CASE("a policy that evicts is refused without an element-serial unit, by its key")
{
    const Workplace place;
    const Outcome outcome =
        place.levee({"run", "veda/demo", "--out", "out", "--set", flexible, "--set",
                     "kv_cache={policy: streaming, budget: 32, sinks: 4, recent_window: 16}"});
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains("expected kv_cache.policy full"));
}
