// SPDX-License-Identifier: Apache-2.0
// Tests the evictor's RTL in its block: results that firmware sees, and reports of differences.
#include "core/numerics/numerics.hpp"
#include "core/rtl/rtl_clock.hpp"
#include "ip/kv_tables/timing.hpp"
#include "ip/systolic_evictor/rtl.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/systolic_evictor/faulty.hpp"
#include "test/support/address_sanitizer.hpp"
#include "test/unit/systolic_evictor/producer.hpp"

#include <random>

namespace {

using namespace levee;
using namespace levee::test;
using systolic_evictor::RtlEngine;

struct WithRtl {
    std::unique_ptr<RtlEngine> made;
    RtlEngine* engine;
    EvictorSystem system;

    WithRtl(systolic_evictor::MakePins make, RtlEngine::Mode mode,
            std::uint64_t memory_bytes_per_second = 256'000'000'000)
        : made(std::make_unique<RtlEngine>("system.evictor", make, mode)), engine(made.get()),
          system(1, std::move(made), memory_bytes_per_second)
    {
        engine->attach({now_ps});
    }

    /// Runs random operations. The memory contents afterwards must be the reference's.
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
                REQUIRE((memory == expected)); // The extra parentheses keep Catch2 from printing
                                               // the memory.
            }
        });
    }
};

constexpr std::uint64_t most_cycles = 20'000;

/// Runs passes of one row of scores until the engine throws.
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
    throw std::logic_error("the engine found no difference");
}

/// Heads of equal length with random scores of as many queries, and the reference's sums.
struct Heads {
    std::vector<std::vector<std::uint16_t>> importance, expected;
    std::vector<kv_tables::Stream> streams;

    Heads(std::uint32_t heads, std::uint32_t queries, std::uint32_t length, std::uint32_t seed)
        : importance(heads, std::vector<std::uint16_t>(length)), expected(importance)
    {
        const auto format = seed % 2 == 0 ? LEVEE_SE_SOFTMAX : LEVEE_SE_LOGIT;
        for (std::uint32_t head = 0; head < heads; ++head) {
            kv_tables::Stream stream{format, importance[head], {}};
            for (std::uint32_t i = 0; i < length; ++i)
                expected[head][i] = importance[head][i] = draw(seed, 2 * head, i);
            for (std::uint32_t i = 0; i < queries * length; ++i) {
                stream.scores.push_back(draw(seed, 2 * head + 1, i));
                std::uint16_t& sum = expected[head][i % length];
                sum = kv_tables::add_saturating(sum, stream.scores.back(), format);
            }
            streams.push_back(std::move(stream));
        }
    }
    static std::uint16_t draw(std::uint32_t seed, std::uint32_t stream, std::uint32_t i)
    {
        return static_cast<std::uint16_t>(random_word(seed, stream, i) >> 16);
    }
};

/// Returns the cycles from the first score to the last of random heads. The RTL must add the scores
/// as the reference does.
std::uint64_t stream_cycles(RtlEngine& engine, std::uint32_t heads, std::uint32_t queries,
                            std::uint32_t length, std::uint32_t seed = 1)
{
    INFO(heads << " heads, " << queries << " queries, " << length << " tokens");
    const Heads work(heads, queries, length, seed);
    engine.stream(work.streams);
    REQUIRE((work.importance == work.expected));
    return engine.take_cycles(kv_tables::accumulate_steps(heads, queries, length, 32));
}

/// Largest number of cycles that the timing rule does not count; it counts from the first score to
/// the last. A tile of 32 rows is loaded before its first query and read after its last, and its
/// command is taken twice.
constexpr std::uint64_t ends_cycles = 32 + 32 + 4;

/// An evictor whose RTL is clocked in simulated time.
struct InTime : WithRtl {
    RtlClock clock{"clock", system.se.queue, *engine};

    explicit InTime(systolic_evictor::MakePins make,
                    std::uint64_t memory_bytes_per_second = 256'000'000'000)
        : WithRtl(make, RtlEngine::Mode::Cycle, memory_bytes_per_second)
    {
    }
    [[nodiscard]] const RtlClock::Figures& figures() const { return clock.figures(); }
};

} // namespace

TEST_CASE("clocked in simulated time, the RTL has the reference's values and nearly its cycles")
{
    InTime in_time(systolic_evictor::designs()[0].make);
    in_time.check_memory(200);
    const RtlClock::Figures& f = in_time.figures();
    CHECK(f.operations == 200);
    CHECK(f.cycles == in_time.engine->rtl_cycles());
    CHECK(in_time.engine->comparisons() > f.cycles / 2); // Values are compared in most cycles.
    CHECK(f.late_cycles <= 200 * ends_cycles);
    CHECK(f.most_late_cycles <= 2 * ends_cycles);
    CHECK(f.early_cycles == 0);
    CHECK_FALSE(in_time.engine->outstanding());
}

TEST_CASE("a memory that is slower than the RTL stalls it at its pins")
{
    InTime fast(systolic_evictor::designs()[0].make, 256'000'000'000);
    fast.check_memory(60);
    CHECK(fast.figures().held_cycles < fast.figures().cycles / 20);
}

TEST_CASE("the RTL waits for a slow memory, with the same values")
{
    InTime slow(systolic_evictor::designs()[0].make, 1'000'000'000);
    slow.check_memory(60);
    CHECK(slow.figures().held_cycles > slow.figures().cycles / 2);
    CHECK(slow.figures().most_late_cycles <= 2 * ends_cycles);
}

TEST_CASE("a design that takes longer than the timing rule makes its operations longer")
{
    InTime tree(systolic_evictor::designs()[1].make);
    tree.check_memory(60);
    CHECK(tree.figures().late > 30);
    CHECK(tree.figures().most_late_cycles > 2 * ends_cycles);
    CHECK(tree.figures().latest_begun_ps > 0);
}

TEST_CASE("a wrong value also ends a run in simulated time")
{
    if (levee::test::address_sanitizer)
        return;
    InTime wrong(faulty<spoil_score>);
    CHECK_THROWS(wrong.check_memory(60));
    REQUIRE(wrong.engine->failure());
    CHECK(wrong.engine->failure()->difference.signal == "update_score_o");
}

TEST_CASE("queries stream through all rows at the same time, in the cycles of the timing rule")
{
    // By hand, tiles of 32 rows begin max(queries, rows) cycles apart. The last tile's last row
    // ends (rows - 1) cycles after its first row.
    RtlEngine engine("system.evictor", systolic_evictor::designs()[0].make,
                     RtlEngine::Mode::Lockstep);
    CHECK(stream_cycles(engine, 1, 100, 64) == 2 * 100 + 31);
    CHECK(stream_cycles(engine, 1, 100, 70) == 3 * 100 + 5);
    CHECK(stream_cycles(engine, 2, 100, 70) == 6 * 100 + 5);
    CHECK(stream_cycles(engine, 1, 32, 320) == 10 * 32 + 31); // The rows take 32 scores per cycle.
    CHECK(stream_cycles(engine, 1, 20, 70) == 32 + 32 + 20 + 5);
    CHECK(stream_cycles(engine, 3, 20, 33) == 3 * (32 + 20));
    CHECK(stream_cycles(engine, 1, 3, 5) == 5 + 2);
    CHECK(stream_cycles(engine, 4, 2, 1) == 4 * 2);
    CHECK(stream_cycles(engine, 2, 1, 70) == 2 * 70); // The heads run one after another.
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const auto below = [&](std::uint32_t index, std::uint32_t count) {
            return random_word(seed, 0, index) % count;
        };
        const std::uint32_t heads = 1 + below(0, 4), length = 1 + below(1, below(2, 2) ? 140 : 34);
        (void)stream_cycles(engine, heads, 1 + below(3, below(4, 2) ? 100 : 8), length, seed);
    }
    CHECK_FALSE(engine.outstanding());
}

TEST_CASE("a query that enters late is found in lockstep, but alone only takes longer")
{
    RtlEngine lockstep("system.evictor", faulty<delay_waves>, RtlEngine::Mode::Lockstep);
    CHECK_THROWS_AS(stream_cycles(lockstep, 1, 300, 32), LockstepDifference);
    CHECK(lockstep.failure()->difference.signal == "wave_ready_o");
    RtlEngine tree("system.evictor", systolic_evictor::designs()[1].make, RtlEngine::Mode::Rtl);
    CHECK(stream_cycles(tree, 2, 40, 50) > 2 * 80 + 17);
}

TEST_CASE("RTL in the block's place leaves the reference's memory contents")
{
    WithRtl with(systolic_evictor::designs()[0].make, RtlEngine::Mode::Rtl);
    with.check_memory(200);
    check_runs(*with.engine);
}

TEST_CASE("lockstep agrees, and counts its comparisons")
{
    WithRtl with(systolic_evictor::designs()[0].make, RtlEngine::Mode::Lockstep);
    with.check_memory(200);
    check_agrees(*with.engine);
}

TEST_CASE("lockstep stops at the first wrong bit, names its place and writes waves that end there")
{
    const LockstepDifference found = provoke(faulty<spoil_score>, RtlEngine::Mode::Lockstep);
    CHECK(found.block == "system.evictor");
    CHECK(found.difference.kind == Difference::Kind::Value);
    CHECK(found.difference.signal == "update_score_o");
    CHECK(found.difference.where.find("row ") == 0);
    const std::filesystem::path fst =
        std::filesystem::temp_directory_path() /
        ("levee_evictor_" + std::to_string(std::random_device{}()) + ".fst");
    CHECK(found.waves(fst).recurs);
    CHECK(std::filesystem::file_size(fst) > 0);
    std::filesystem::remove(fst);
}

TEST_CASE("a tree's cycles are found in lockstep, but alone it is only slower")
{
    const auto tree = systolic_evictor::designs()[1].make;
    CHECK(provoke(tree, RtlEngine::Mode::Lockstep).difference.kind == Difference::Kind::Cycle);
    WithRtl with(tree, RtlEngine::Mode::Rtl);
    with.check_memory(100);
}

TEST_CASE("RTL without any output ends the run, compared or not")
{
    CHECK(provoke(faulty<silence>, RtlEngine::Mode::Rtl).difference.signal == "result_valid_o");
}

TEST_CASE("a value that a design still offers at the end is reported as outstanding")
{
    RtlEngine engine("system.evictor", faulty<add_update>, RtlEngine::Mode::Rtl);
    CHECK_FALSE(engine.outstanding());
    std::vector<std::uint16_t> importance(80);
    const std::vector<std::uint8_t> is_protected(80);
    const std::vector<std::uint16_t> scores(80, 1);
    (void)engine.pass({LEVEE_SE_SOFTMAX, importance, is_protected, scores});
    for (int i = 0; i < 10 && !engine.outstanding(); ++i) {
    }
    CHECK(engine.outstanding()->signal == "update_valid_o");
}
