// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/bench.hpp"
#include "platform/studies/cosim/cosim.hpp"
#include "test/rtl/late_fault.hpp"
#include "test/rtl/systolic_evictor/faulty.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::test;
using Fault = FaultyPins::Fault;
using systolic_evictor::designs;

namespace {

cosim::Report run(systolic_evictor::MakePins make, const cosim::Options& options)
{
    return cosim::run(*cosim::make_evictor_bench(make, {options.seed, ""}), options);
}

} // namespace

TEST_CASE("the evictor's RTL is its reference, in values and cycles, and all of it was seen")
{
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        INFO("seed " << seed);
        const cosim::Report report = run(designs()[0].make_checked, {1000, seed, true, true});
        CHECK_FALSE(report.differs());
        CHECK(report.operations == 1000);
        CHECK(report.comparisons > report.cycles);
        CHECK(report.coverage.size() >= 45);
        CHECK(report.not_covered.empty());
    }
}

TEST_CASE("few operations do not cover all, and it is said what is missing")
{
    const cosim::Report report = run(designs()[0].make_checked, {1, 1, true, true});
    CHECK_FALSE(report.differs());
    CHECK_FALSE(report.not_covered.empty());
}

TEST_CASE("a tree in the chain's place has the values, but not the cycles, and is told so")
{
    const auto tree = designs()[1].make_checked;
    const cosim::Report strict = run(tree, {300, 1, true, true});
    REQUIRE(strict.cycle);
    CHECK(strict.cycle->kind == Difference::Kind::Cycle);
    CHECK_FALSE(strict.value);
    CHECK(strict.operations == 300);
    const cosim::Report values = run(tree, {300, 1, false, true});
    CHECK_FALSE(values.differs());
    CHECK(values.comparisons > 0);
}

TEST_CASE("wrong bits are found and placed, missing ones and surplus ones too")
{
    const cosim::Report score = run(make_faulty<Fault::Score>, {100, 1, true, true});
    REQUIRE(score.value);
    CHECK(score.value->kind == Difference::Kind::Value);
    CHECK(score.value->signal == "update_score_o");
    CHECK(score.value->where.find("row ") == 0);
    CHECK(score.value->expected != score.value->got);

    const cosim::Report index = run(make_faulty<Fault::Index>, {100, 1, true, true});
    REQUIRE(index.value);
    CHECK(index.value->signal == "result_*_o");

    const cosim::Report silent = run(make_faulty<Fault::Silent>, {100, 1, false, true});
    REQUIRE(silent.value);
    CHECK(silent.value->got.find("nothing moved") == 0);

    const cosim::Report wave = run(make_faulty<Fault::Wave>, {100, 1, true, true});
    REQUIRE(wave.cycle);
    CHECK(wave.cycle->signal == "wave_ready_o");
    CHECK(wave.cycle->where.find("query ") == 0);

    const cosim::Report extra = run(make_faulty<Fault::Extra>, {100, 1, false, true});
    REQUIRE(extra.value);
}

TEST_CASE("an operation of a seed is the same however many are run")
{
    const cosim::Report once = run(make_faulty<Fault::Score>, {100, 9, true, true});
    const cosim::Report again =
        run(make_faulty<Fault::Score>, {once.value_operation + 1, 9, true, true});
    REQUIRE(again.value);
    CHECK(again.value_operation == once.value_operation);
    CHECK(again.value->cycle == once.value->cycle);
    CHECK(again.value->got == once.value->got);
}

namespace {

struct LateQueries {
    static bool loads(const systolic_evictor::Inputs& in, const systolic_evictor::Outputs& out)
    {
        return in.load_valid && out.load_ready;
    }
    static bool uses(const systolic_evictor::Inputs& in, const systolic_evictor::Outputs& out)
    {
        return in.wave_valid && out.wave_ready;
    }
    static void spoil(systolic_evictor::Outputs& out) { out.update_score ^= 1; }
};

std::unique_ptr<systolic_evictor::Pins> make_late(const RtlPinsOptions& options)
{
    return std::make_unique<LateFault<systolic_evictor::Ports, LateQueries>>(
        designs()[0].make(options));
}

} // namespace

TEST_CASE("a fault that shows in the 200th query after a load is found")
{
    CHECK(run(make_late, {}).value);
}
