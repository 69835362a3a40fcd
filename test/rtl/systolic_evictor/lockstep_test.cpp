// SPDX-License-Identifier: Apache-2.0
// The evictor's RTL in its block: what firmware sees, and what happens when it differs.
#include "ip/systolic_evictor/rtl.hpp"
#include "test/rtl/systolic_evictor/faulty.hpp"
#include "test/unit/systolic_evictor/producer.hpp"

#include <random>

namespace {

using namespace levee;
using namespace levee::test;
using systolic_evictor::RtlEngine;
using Fault = FaultyPins::Fault;

struct WithRtl {
    std::unique_ptr<RtlEngine> made;
    RtlEngine* engine;
    EvictorSystem system;

    WithRtl(systolic_evictor::MakePins make, RtlEngine::Mode mode)
        : made(std::make_unique<RtlEngine>("system.evictor", make, mode)), engine(made.get()),
          system(1, std::move(made))
    {
    }

    /// Random operations on it; the memory that they leave must be the reference's.
    void check_memory(std::uint32_t count)
    {
        system.run([&] {
            const std::uint64_t mark = system.mark();
            for (std::uint32_t seed = 0; seed < count; ++seed) {
                const auto opcode = static_cast<std::uint8_t>(1 + seed % 2);
                INFO("seed " << seed << ", opcode " << unsigned{opcode});
                system.release(mark);
                Evictions evictions(system, opcode, seed);
                const std::vector<std::uint8_t> expected = evictions.expected();
                REQUIRE(system.execute(evictor, describe(opcode, evictions.op)) ==
                        LEVEE_ERROR_NONE);
                const auto memory = system.get<std::uint8_t>(memory_base, expected.size());
                REQUIRE((memory == expected)); // in brackets: not to be printed
            }
        });
    }
};

constexpr std::uint64_t most_cycles = 20'000;

/// Passes of one row of scores until the engine throws.
LockstepDifference provoke(systolic_evictor::MakePins make, RtlEngine::Mode mode)
{
    RtlEngine engine("system.evictor", make, mode);
    std::vector<std::uint16_t> importance(70);
    const std::vector<std::uint8_t> is_protected(70);
    std::vector<std::uint16_t> scores(70, 3);
    scores[40] = 1;
    while (engine.rtl_cycles() < most_cycles) {
        try {
            (void)engine.pass({LEVEE_SE_SOFTMAX, importance, is_protected, scores});
        } catch (const LockstepDifference& difference) {
            CHECK(engine.failure());
            return difference;
        }
    }
    throw std::logic_error("nothing was found");
}

} // namespace

TEST_CASE("RTL in the block's place leaves memory as the reference does")
{
    WithRtl with(systolic_evictor::designs()[0].make, RtlEngine::Mode::Rtl);
    with.check_memory(200);
    CHECK(with.engine->rtl_cycles() > 0);
    CHECK(with.engine->comparisons() == 0);
    CHECK_FALSE(with.engine->outstanding());
}

TEST_CASE("lockstep agrees, and counts what it has compared")
{
    WithRtl with(systolic_evictor::designs()[0].make, RtlEngine::Mode::Lockstep);
    with.check_memory(200);
    CHECK(with.engine->comparisons() > with.engine->rtl_cycles());
    CHECK_FALSE(with.engine->failure());
    CHECK_FALSE(with.engine->outstanding());
}

TEST_CASE("lockstep stops at the first wrong bit, names its place and writes waves that end there")
{
    const LockstepDifference found = provoke(make_faulty<Fault::Score>, RtlEngine::Mode::Lockstep);
    CHECK(found.block == "system.evictor");
    CHECK(found.difference.kind == Difference::Kind::Value);
    CHECK(found.difference.signal == "update_score_o");
    CHECK(found.difference.where.find("row ") == 0);
    const std::filesystem::path fst =
        std::filesystem::temp_directory_path() /
        ("levee_evictor_" + std::to_string(std::random_device{}()) + ".fst");
    CHECK(found.waves(fst));
    CHECK(std::filesystem::file_size(fst) > 0);
    std::filesystem::remove(fst);
}

TEST_CASE("a tree's cycles are found in lockstep, alone it is only slower")
{
    const auto tree = systolic_evictor::designs()[1].make;
    CHECK(provoke(tree, RtlEngine::Mode::Lockstep).difference.kind == Difference::Kind::Cycle);
    WithRtl with(tree, RtlEngine::Mode::Rtl);
    with.check_memory(100);
}

TEST_CASE("RTL from which nothing comes ends the run, compared or not")
{
    CHECK(provoke(make_faulty<Fault::Silent>, RtlEngine::Mode::Rtl).difference.signal ==
          "result_valid_o");
}

TEST_CASE("what a design still has to say at the end is outstanding")
{
    RtlEngine engine("system.evictor", make_faulty<Fault::Extra>, RtlEngine::Mode::Rtl);
    CHECK_FALSE(engine.outstanding());
    std::vector<std::uint16_t> importance(80);
    const std::vector<std::uint8_t> is_protected(80);
    const std::vector<std::uint16_t> scores(80, 1);
    (void)engine.pass({LEVEE_SE_SOFTMAX, importance, is_protected, scores});
    for (int i = 0; i < 10 && !engine.outstanding(); ++i) {
    }
    CHECK(engine.outstanding()->signal == "update_valid_o");
}
