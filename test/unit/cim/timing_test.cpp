// SPDX-License-Identifier: Apache-2.0
// Checks cycles at Titanus's published operating points. docs/pim.md derives them by hand.
#include "test/unit/cim/titanus.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <numeric>

using Catch::WithinAbs;
using namespace levee;
using namespace levee::test;
using cim::Kind;
using cim::Pipeline;

namespace {

std::uint64_t of(const cim::ByKind<std::uint64_t>& by_kind, Kind kind)
{
    return by_kind[static_cast<std::size_t>(kind)];
}

} // namespace

TEST_CASE("a core has the published numbers of macros, and holds one layer exactly")
{
    const Titanus small = titanus_125m(), large = titanus_6_7b();
    CHECK(small.units.macros() == 864);
    CHECK(small.units.accumulators() == 6912);
    CHECK(small.units.weights() == 7'077'888);
    CHECK(large.units.macros() == 24'576);
    CHECK(large.units.accumulators() == 36'864);
}

TEST_CASE("the sample of sixteen tokens takes the published cycles")
{
    const Titanus t = titanus_125m();
    const cim::Timing timing(t.units, t.shape, &t.compression, sample_reading());
    CHECK(timing.sample_cycles() == 25'702);
    CHECK(timing.token_cycles() == 1'607);
    const auto busy = timing.sample_busy();
    CHECK(of(busy, Kind::Norm1) == 3'024);
    CHECK(of(busy, Kind::Query) == 144);
    CHECK(of(busy, Kind::Prune) == 1'536);
    CHECK(of(busy, Kind::Quantise) == 1'536);
    CHECK(of(busy, Kind::Dequantise) == 5'888);
    CHECK(of(busy, Kind::Scores) == 408);
    CHECK(of(busy, Kind::Softmax) == 736);
    CHECK(of(busy, Kind::Mix) == 3'072);
    CHECK(of(busy, Kind::Activate) == 384);
    CHECK(of(busy, Kind::Contract) == 136); // The published log ends at cycle 25,700.
    CHECK(of(timing.sample_accumulators(), Kind::Contract) == 31);
    CHECK(of(timing.sample_accumulators(), Kind::Expand) == 32);
    CHECK(std::accumulate(busy.begin(), busy.end(), std::uint64_t{0}) == 20'464);
    CHECK(timing.stage_cycles() ==
          std::array<std::uint64_t, cim::stages>{238, 157, 121, 554, 242, 250, 54});
}

TEST_CASE("the sample of OPT-6.7B takes the published cycles, too")
{
    const Titanus t = titanus_6_7b();
    const cim::Timing timing(t.units, t.shape, &t.compression, sample_reading());
    CHECK(timing.sample_cycles() == 58'186);
    CHECK(timing.token_cycles() == 3'637);
    CHECK(of(timing.sample_busy(), Kind::Contract) == 61);
    CHECK(timing.stage_cycles()[5] == 1'273);
}

TEST_CASE("three settings of OPT-125M, 32 + 32, give the published tokens a second")
{
    const Titanus t = titanus_125m();
    const cim::Reading sample = sample_reading();
    CHECK(run_cycles(t, sample, Pipeline::None, 32, 32) == 1'233'696);
    CHECK(run_cycles(t, sample, Pipeline::IntraCore, 32, 32) == 869'712);
    CHECK(run_cycles(t, sample, Pipeline::InterCore, 32, 32) == 680'798);
    CHECK_THAT(tokens_per_s(t, sample, Pipeline::None, 32, 32), WithinAbs(10'375.33, 0.005));
    CHECK_THAT(tokens_per_s(t, sample, Pipeline::IntraCore, 32, 32), WithinAbs(14'717.52, 0.005));
    CHECK_THAT(tokens_per_s(t, sample, Pipeline::InterCore, 32, 32), WithinAbs(18'801.47, 0.005));
}

TEST_CASE("three settings of OPT-6.7B, 128 + 512, give the published tokens a second")
{
    const Titanus t = titanus_6_7b();
    const cim::Reading sample = sample_reading();
    CHECK_THAT(tokens_per_s(t, sample, Pipeline::None, 128, 512), WithinAbs(1'718.63, 0.005));
    CHECK_THAT(tokens_per_s(t, sample, Pipeline::IntraCore, 128, 512), WithinAbs(1'967.80, 0.005));
    CHECK_THAT(tokens_per_s(t, sample, Pipeline::InterCore, 128, 512), WithinAbs(2'132.07, 0.005));
}

TEST_CASE("true contexts alone reduce 10,375 tokens a second to about 4,730")
{
    const Titanus t = titanus_125m();
    cim::Reading reading = sample_reading();
    reading.sample_prompt = reading.sample_generated = 0;
    const cim::Timing timing(t.units, t.shape, &t.compression, reading);
    cim::ByKind<std::uint64_t> sum = timing.operations({32, 0});
    for (std::uint64_t i = 0; i < 32; ++i) {
        const auto one = timing.operations({1, 32 + i});
        for (std::size_t kind = 0; kind < cim::kinds; ++kind)
            sum[kind] += one[kind];
    }
    CHECK(of(sum, Kind::Scores) == 2'080);
    CHECK(of(sum, Kind::Softmax) == 160);
    CHECK(of(sum, Kind::Dequantise) == 1'520 * 32); // Rows take 32 operations each.
    CHECK_THAT(tokens_per_s(t, reading, Pipeline::None, 32, 32), WithinAbs(4'730, 10));
}

TEST_CASE("a single token takes as long in any pipeline, and a pipeline is never slower")
{
    const Titanus t = titanus_125m();
    const cim::Timing timing(t.units, t.shape, &t.compression, cim::Reading{});
    const auto cycles = [&](std::uint64_t tokens, std::uint64_t before, Pipeline pipeline) {
        return timing.cycles_of({tokens, before}, pipeline, t.layers);
    };
    CHECK(cycles(1, 40, Pipeline::IntraCore) == cycles(1, 40, Pipeline::None));
    CHECK(cycles(1, 40, Pipeline::InterCore) == cycles(1, 40, Pipeline::None));
    for (const std::uint64_t tokens : {2u, 17u, 64u}) {
        CHECK(cycles(tokens, 0, Pipeline::IntraCore) < cycles(tokens, 0, Pipeline::None));
        CHECK(cycles(tokens, 0, Pipeline::InterCore) < cycles(tokens, 0, Pipeline::IntraCore));
    }
}

TEST_CASE("two tokens in the stages of one core and of two cores take the time by hand")
{
    // In cycles: without compression, the first token's stages take 190, 10, 0, 4 + 47, 256, 10 +
    // 190 and 10 + 36 + 10. The second token's Q K^T takes 4 cycles more. The second token waits
    // for the first one's S V (507 + 256), then runs without waiting and ends at 1,019.
    const Titanus t = titanus_125m();
    const cim::Timing timing(t.units, t.shape, nullptr, cim::Reading{});
    CHECK(timing.cycles_of({2, 0}, Pipeline::IntraCore, 1) == 1 + 1'019);
    CHECK(timing.cycles_of({2, 0}, Pipeline::IntraCore, 2) == 2 * (1 + 1'019));
    // In the second core, the first token ends at 763 + 763 and the second at 1,209 + 10 + 55 + 256
    // + 256.
    CHECK(timing.cycles_of({2, 0}, Pipeline::InterCore, 2) == 1 + 1'786);
    // Without overlap, Q, K and V are computed one after the other.
    CHECK(timing.cycles_of({2, 0}, Pipeline::None, 1) == 1 + 763 + 767 + 2 * 20);
}

TEST_CASE("the steps of a pass fill its time, and a stage executes one step at a time")
{
    const Titanus t = titanus_125m();
    for (const bool sample : {false, true})
        for (const Pipeline pipeline : {Pipeline::None, Pipeline::IntraCore, Pipeline::InterCore})
            for (const cim::Work work : {cim::Work{5, 0}, cim::Work{1, 9}, cim::Work{3, 9}}) {
                const cim::Timing timing(t.units, t.shape, &t.compression,
                                         sample ? sample_reading() : cim::Reading{});
                double end = 0;
                std::map<std::pair<std::uint32_t, std::size_t>, double> busy;
                std::map<std::uint64_t, double> token;
                for (const cim::Step& step : timing.steps_of(work, pipeline, 3)) {
                    CHECK(step.from >= busy[{step.layer, step.stage}] - 1e-6);
                    CHECK(step.from >= token[step.token] - 1e-6);
                    busy[{step.layer, step.stage}] = token[step.token] = step.to;
                    end = std::max(end, step.to);
                }
                CHECK(end == Approx(timing.cycles_of(work, pipeline, 3)));
            }
}

TEST_CASE("a pass in two chunks has the operations of a single one")
{
    const Titanus t = titanus_125m();
    const cim::Timing timing(t.units, t.shape, &t.compression, cim::Reading{});
    const auto whole = timing.operations({40, 0});
    const auto first = timing.operations({23, 0}), second = timing.operations({17, 23});
    for (const Kind kind : {Kind::Norm1, Kind::Query, Kind::Scores, Kind::Softmax, Kind::Mix})
        CHECK(of(first, kind) + of(second, kind) == of(whole, kind));
    CHECK(of(second, Kind::Dequantise) != 0); // The first chunk has left these rows in memory.
}

TEST_CASE("with half as many engines and softmax units per head, everything is done twice")
{
    Titanus t = titanus_125m();
    const cim::Timing one_each(t.units, t.shape, &t.compression, cim::Reading{});
    t.units.keys.count = t.units.values.count = t.units.softmax.count = 6;
    const cim::Timing half(t.units, t.shape, &t.compression, cim::Reading{});
    const auto whole = one_each.operations({1, 300}), twice = half.operations({1, 300});
    CHECK(of(whole, Kind::Scores) == 301);
    CHECK(of(whole, Kind::Mix) == 64 * 2); // A context beyond 256 lanes takes two rounds.
    CHECK(of(whole, Kind::Softmax) == 19);
    for (const Kind kind : {Kind::Scores, Kind::Softmax, Kind::Mix})
        CHECK(of(twice, kind) == 2 * of(whole, kind));
}

TEST_CASE("pruning, quantisation and dequantisation units process rows of the stated survivors")
{
    const Titanus t = titanus_125m();
    const cim::Timing timing(t.units, t.shape, &t.compression, cim::Reading{});
    const auto n = timing.operations({3, 10});
    CHECK(of(n, Kind::Prune) == 3 * 48);    // Each row has 1,536 elements.
    CHECK(of(n, Kind::Quantise) == 3 * 32); // 1,016.8 elements survive.
    // Each of 10 cached tokens takes 24 operations for 752.64 survivors.
    CHECK(of(n, Kind::Dequantise) == 10 * 24);
    const cim::Timing plain(t.units, t.shape, nullptr, cim::Reading{});
    CHECK(of(plain.operations({3, 10}), Kind::Prune) == 0);
    CHECK(of(plain.operations({3, 10}), Kind::Dequantise) == 0);
}
