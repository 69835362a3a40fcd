// SPDX-License-Identifier: Apache-2.0
// Tests the compression block with its RTL: results that firmware sees, cycles, and reports of
// differences.
#include "ip/cpq/pins.hpp"
#include "ip/cpq/rtl.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/unit/cpq/cpq_system.hpp"

namespace {

using namespace levee;
using namespace levee::test;
using cpq::random_rows;
using cpq::RtlEngine;

cpq::Config with_cycles_of_rtl()
{
    cpq::Config config = cpq_config();
    config.units = {4, cpq::prune_cycles, cpq::quantise_cycles, 2, cpq::level_cycles};
    return config;
}

struct WithRtl : Bench {
    std::unique_ptr<RtlEngine> made;
    RtlEngine* engine;
    cpq::Cpq block;

    explicit WithRtl(RtlMode mode)
        : Bench("bench", {}, 1'024'000'000'000),
          made(std::make_unique<RtlEngine>("system.cpq", cpq::designs()[1].make, mode)),
          engine(made.get()), block("block", with_cycles_of_rtl(), fabric, std::move(made))
    {
        connect(block.queue);
    }
};

/// Compresses a prompt, then single rows. The packed rows must equal the reference's.
void check_rows(WithRtl& system)
{
    system.run([&] {
        const Shape shape{.rows = 16, .vectors = 3, .vector = 10}; // The last group has two lanes.
        const std::vector<float> values = random_rows(5, 16, 30);
        levee_cpq_operation op = place(system, shape, values);
        op.tolerance = 0.125f;
        op.max_levels = 2;
        cpq::Table table(30, {op.bits, op.max_levels, op.threshold, op.tolerance});
        table.open(std::span(values).first(6 * 30));
        op.rows = 6;
        op.flags = LEVEE_CPQ_OPEN;
        REQUIRE(system.execute(unit, describe(LEVEE_CPQ_COMPRESS, op)) == LEVEE_ERROR_NONE);
        op.flags = 0;
        op.rows = 10;
        op.slots = system.put<std::uint32_t>({6});
        REQUIRE(system.execute(unit, describe(LEVEE_CPQ_COMPRESS, op)) == LEVEE_ERROR_NONE);
        cpq::Counts counts;
        for (std::size_t row = 0; row < 16; ++row) {
            const auto packed = table.compress(std::span(values).subspan(row * 30, 30), counts);
            CHECK(system.get<std::uint8_t>(op.packed +
                                               row * static_cast<unsigned>(op.packed_stride[1]),
                                           packed.size()) == packed);
        }
        CHECK(counts.opened > 0);
        CHECK(counts.clamped > 0);
        // Each group has one more cycle, in which the result is taken.
        const std::uint64_t groups = 8 * (6 + 1) + 8 * 16;
        CHECK(system.engine->rtl_cycles() == figure(system.block, "cycles") + groups);
    });
}

/// A design in which the lowest bit of one code is inverted.
constexpr cpq::MakePins faulty = make_spoiled<cpq::Ports, 1, [](cpq::Outputs& out) {
    if (out.result_valid)
        out.lanes[2].code ^= 1;
}>;

} // namespace

TEST_CASE("RTL in the units' place leaves the reference's memory contents")
{
    WithRtl system(RtlMode::Rtl);
    check_rows(system);
    CHECK(system.engine->comparisons() == 0);
    CHECK_FALSE(system.engine->outstanding());
}

TEST_CASE("lockstep agrees, in the cycles of the timing rule, and counts its comparisons")
{
    WithRtl system(RtlMode::Lockstep);
    check_rows(system);
    check_agrees(*system.engine);
}

TEST_CASE("a threshold and a tolerance of -0 count as 0")
{
    RtlEngine engine("system.cpq", cpq::designs()[1].make, RtlMode::Lockstep);
    const cpq::Settings settings{4, 2, -0.0f, -0.0f};
    cpq::Table table(4, settings), expected(4, settings);
    const std::vector<float> prompt{-1, -1, -1, -1, 2, 2, 2, 2}, row{1, -0.5f, 0, 3};
    CHECK_NOTHROW(engine.open(table, prompt));
    expected.open(prompt);
    cpq::Counts counts, of_expected;
    const cpq::Row made = engine.quantise(table, row, counts);
    CHECK(made.elements == expected.quantise(row, of_expected).elements);
    CHECK(counts == of_expected);
    CHECK(counts.survivors == 3);
}

TEST_CASE("lockstep stops at the first wrong code, names its place and writes waves")
{
    RtlEngine engine("system.cpq", faulty, RtlMode::Lockstep);
    cpq::Table table(4, {.bits = 4});
    table.open(std::vector<float>{-1, -1, -1, -1, 2, 2, 2, 2});
    cpq::Counts counts;
    CHECK_THROWS_AS(engine.quantise(table, std::vector<float>{1, 1, 1, 1}, counts),
                    LockstepDifference);
    REQUIRE(engine.failure());
    CHECK(engine.failure()->difference.signal == "result_codes_o");
    CHECK(engine.failure()->difference.where == "lane 2 of group 0");
    check_waves(engine, "cpq");
}
