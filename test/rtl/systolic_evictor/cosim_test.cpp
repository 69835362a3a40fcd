// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/cosim.hpp"
#include "test/rtl/late_fault.hpp"
#include "test/rtl/systolic_evictor/faulty.hpp"

using namespace levee;
using namespace levee::test;
using systolic_evictor::designs;

namespace {

constexpr auto run = run_cosim<systolic_evictor::Ports>;

} // namespace

TEST_CASE("the evictor's RTL equals its reference in values and cycles, with full coverage")
{
    check_covered(designs()[0], 1000, 3, 45);
}

TEST_CASE("few operations do not cover everything, and the report lists what is missing")
{
    CHECK_FALSE(check_equal(designs()[0], 1).not_covered.empty());
}

TEST_CASE("a tree in the chain's place has the values but not the cycles, and the report says so")
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

TEST_CASE("wrong, missing and surplus bits are found and located")
{
    const cosim::Report score = run(faulty<spoil_score>, {100, 1, true, true});
    REQUIRE(score.value);
    CHECK(score.value->kind == Difference::Kind::Value);
    CHECK(score.value->signal == "update_score_o");
    CHECK(score.value->where.find("row ") == 0);
    CHECK(score.value->expected != score.value->got);

    const cosim::Report index = run(faulty<spoil_index>, {100, 1, true, true});
    REQUIRE(index.value);
    CHECK(index.value->signal == "result_*_o");

    const cosim::Report silent = run(faulty<silence>, {100, 1, false, true});
    REQUIRE(silent.value);
    CHECK(silent.value->got.find("nothing moved") == 0);

    const cosim::Report wave = run(faulty<delay_waves>, {100, 1, true, true});
    REQUIRE(wave.cycle);
    CHECK(wave.cycle->signal == "wave_ready_o");
    CHECK(wave.cycle->where.find("query ") == 0);

    const cosim::Report extra = run(faulty<add_update>, {100, 1, false, true});
    REQUIRE(extra.value);
}

TEST_CASE("an operation of a seed is the same, however many operations run")
{
    const cosim::Report once = run(faulty<spoil_score>, {100, 9, true, true});
    const cosim::Report again = run(faulty<spoil_score>, {once.value_operation + 1, 9, true, true});
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

} // namespace

TEST_CASE("a fault that shows only in the 200th query after a load is detected")
{
    CHECK(run(make_late<systolic_evictor::Ports, 0, LateQueries>, {}).value);
}
