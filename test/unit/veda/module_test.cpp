// SPDX-License-Identifier: Apache-2.0
#include "core/abi/boot_info.h"
#include "test/unit/rsa/more_memory.hpp"
#include "test/unit/veda/random_gemv.hpp"
#include "test/unit/veda/veda_system.hpp"

#include <algorithm>
#include <map>

using namespace levee;
using namespace levee::test;

namespace {

constexpr Picoseconds cycle = 1000;

std::map<std::string, std::uint64_t> figures(const VedaSystem& system)
{
    Stats stats;
    system.veda.report(stats);
    std::map<std::string, std::uint64_t> whole;
    for (const auto& [name, value] : stats.figures())
        if (const auto* count = std::get_if<std::uint64_t>(&value))
            whole[name] = *count;
    return whole;
}

} // namespace

TEST_CASE("random operations equal the reference row by row, and write nothing else")
{
    constexpr veda::ArrayShape shape{2, 2, 4};
    VedaSystem system(shape);
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 300; ++seed) {
            system.release(mark);
            Gemv gemv(system, shape, seed);
            gemv.fill_output();
            INFO("seed " << seed);
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, gemv.op)) == LEVEE_ERROR_NONE);
            CHECK(gemv.output() == gemv.expected());
        }
    });
}

TEST_CASE("the arrays report their size in registers")
{
    VedaSystem system({4, 8, 2});
    system.run([&] {
        CHECK(system.reg(0, LEVEE_CMD_ID) == LEVEE_BLOCK_VEDA);
        CHECK(system.reg(0, LEVEE_VEDA_ARRAYS) == 4);
        CHECK(system.reg(0, LEVEE_VEDA_ROWS) == 8);
        CHECK(system.reg(0, LEVEE_VEDA_COLUMNS) == 2);
    });
}

TEST_CASE("partial signals come with the results of each outer iteration")
{
    constexpr veda::ArrayShape shape{2, 2, 4};
    VedaSystem system(shape);
    system.run([&] {
        for (std::uint32_t seed = 0; seed < 20; ++seed) {
            Gemv gemv(system, shape, seed);
            gemv.fill_output();
            levee_descriptor descriptor = describe(LEVEE_VEDA_GEMV, gemv.op);
            descriptor.signal_counter[0] = 0;
            descriptor.signal_add[0] = 1;
            descriptor.signal_every[0] = 1;
            system.write(sync_base + LEVEE_SYNC_VALUE(0), 0);
            system.submit(0, {descriptor});
            const std::uint32_t blocks = gemv.op.outer[0] * gemv.op.outer[1];
            const std::vector<std::uint8_t> whole = gemv.expected();
            std::size_t missing = whole.size();
            INFO("seed " << seed);
            while (system.sync.value(0) < blocks) {
                sc_core::wait(system.sync.changed(0));
                const std::vector<std::uint8_t> now = gemv.output();
                std::size_t still_missing = 0;
                for (std::size_t i = 0; i < now.size(); ++i)
                    still_missing += now[i] != whole[i];
                CHECK(still_missing < missing);
                missing = still_missing;
            }
            CHECK(missing == 0);
            CHECK(system.settle(0));
        }
    });
}

TEST_CASE("attention of head dimension 64 takes half the cycles if the arrays are split")
{
    VedaSystem system;
    system.run([&] {
        constexpr std::uint16_t heads = 4;
        constexpr std::uint32_t tokens = 500;
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, heads, 1, 64, tokens);
        CHECK(system.duration(scores) == (heads * tokens + 9) * cycle);
        scores.flags |= LEVEE_VEDA_SPLIT;
        CHECK(system.duration(scores) == (heads / 2 * tokens + 9) * cycle);
        levee_veda_operation values = system.plain(LEVEE_VEDA_OUTER, heads, 1, tokens, 64);
        CHECK(system.duration(values) == (heads * tokens + 2) * cycle);
        values.flags |= LEVEE_VEDA_SPLIT;
        CHECK(system.duration(values) == (heads / 2 * tokens + 2) * cycle);
        // The last head of an odd number works while the other array is idle.
        levee_veda_operation odd = system.plain(LEVEE_VEDA_INNER, 3, 1, 64, tokens);
        odd.flags |= LEVEE_VEDA_SPLIT;
        CHECK(system.duration(odd) == (2 * tokens + 9) * cycle);
        CHECK(figures(system)["cycles"] == (heads + heads / 2) * 2 * tokens + 2 * tokens + 31);
        CHECK(figures(system)["macs"] == (4 * heads + 3) * 64 * tokens);
    });
}

TEST_CASE("products side by side take the time of the longer one")
{
    VedaSystem system;
    system.run([&] {
        levee_veda_operation op = system.plain(LEVEE_VEDA_OUTER, 4, 1, 300, 64);
        op.flags |= LEVEE_VEDA_SPLIT;
        op.ragged = LEVEE_VEDA_RAGGED_K;
        op.lengths = system.put(std::vector<std::uint32_t>{10, 200, 300, 1});
        op.lengths_stride[1] = 4;
        CHECK(system.duration(op) == (200 + 300 + 2) * cycle);
        op.flags = 0;
        CHECK(system.duration(op) == (10 + 200 + 300 + 1 + 2) * cycle);
    });
}

TEST_CASE("without a buffer B is read for every vector")
{
    // At 1 ns per byte, all other times are negligible.
    VedaSystem system(paper_arrays, 0, 1'000'000'000);
    system.run([&] {
        constexpr std::uint64_t a = 16 * 256 * 2, b = 256 * 128 * 2, out = 16 * 128 * 2;
        const levee_veda_operation many = system.plain(LEVEE_VEDA_INNER, 1, 16, 256, 128);
        CHECK(system.duration(many) == (a + 16 * b + out) * cycle);
    });
}

TEST_CASE("with a buffer for half of B, B is read once and the vectors twice")
{
    VedaSystem system(paper_arrays, 256 * 128, 1'000'000'000);
    system.run([&] {
        constexpr std::uint64_t a = 16 * 256 * 2, b = 256 * 128 * 2, out = 16 * 128 * 2;
        const levee_veda_operation many = system.plain(LEVEE_VEDA_INNER, 1, 16, 256, 128);
        CHECK(system.duration(many) == (2 * a + b + out) * cycle);
        const levee_veda_operation single = system.plain(LEVEE_VEDA_INNER, 1, 1, 256, 128);
        CHECK(system.duration(single) == (a / 16 + b + out / 16) * cycle);
    });
}

TEST_CASE("cycles of random sizes: n times pieces of k, or k times pieces of n, plus the fill")
{
    VedaSystem system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t draw = 0; draw < 60; ++draw) {
            system.release(mark);
            const std::uint32_t k = 1 + random_word(3, 1, draw) % 600;
            const std::uint32_t n = 1 + random_word(3, 2, draw) % 600;
            INFO(k << " x " << n);
            const auto begun = figures(system)["cycles"];
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV,
                                             system.plain(LEVEE_VEDA_INNER, 1, 1, k, n))) == 0);
            const auto inner = figures(system)["cycles"];
            CHECK(inner - begun == n * ((k + 127) / 128) + 9);
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV,
                                             system.plain(LEVEE_VEDA_OUTER, 1, 1, k, n))) == 0);
            CHECK(figures(system)["cycles"] - inner == k * ((n + 127) / 128) + 2);
        }
    });
}

TEST_CASE("the causal half of a prefill is neither computed nor read")
{
    // Four tokens follow 125 others, so their vectors have 126, 127, 128 and 129 elements.
    VedaSystem system(paper_arrays, 0, 1'000'000'000'000); // The memory takes 1 ps per byte.
    system.run([&] {
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 1, 4, 64, 129);
        scores.flags |= LEVEE_VEDA_CAUSAL;
        scores.ragged = LEVEE_VEDA_RAGGED_N;
        scores.lengths = system.put(std::vector<std::uint32_t>{129});
        CHECK(system.duration(scores) == (126 + 127 + 128 + 129 + 9) * cycle);
        CHECK(figures(system)["macs"] == 510 * 64);
        levee_veda_operation values = system.plain(LEVEE_VEDA_OUTER, 1, 4, 129, 64);
        values.flags = scores.flags & LEVEE_VEDA_CAUSAL;
        values.ragged = LEVEE_VEDA_RAGGED_K;
        values.lengths = scores.lengths;
        CHECK(system.duration(values) == (510 + 2) * cycle);
        CHECK(figures(system)["macs"] == 2 * 510 * 64);
        // In the other mode, the last vector needs one more piece of 128.
        values.mode = LEVEE_VEDA_INNER;
        CHECK(system.duration(values) == ((1 + 1 + 1 + 2) * 64 + 9) * cycle);
        scores.mode = LEVEE_VEDA_OUTER;
        CHECK(system.duration(scores) == ((1 + 1 + 1 + 2) * 64 + 2) * cycle);
    });
}

TEST_CASE("a causal prefill reads rows of B once if they are buffered")
{
    VedaSystem system(paper_arrays, 0, 1'000'000'000); // The memory takes 1 ns per byte.
    veda::Veda other("buffered", {Clock{1'000'000'000}, paper_arrays, 1 << 18, queue_config},
                     system.fabric);
    system.connect(other.queue);
    system.run([&] {
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 1, 4, 64, 129);
        scores.flags |= LEVEE_VEDA_CAUSAL;
        scores.ragged = LEVEE_VEDA_RAGGED_N;
        scores.lengths = system.put(std::vector<std::uint32_t>{129});
        constexpr std::uint64_t a = 4 * 64 * 2, out = 510 * 2;
        CHECK(system.duration(scores) == (a + 510 * 64 * 2 + out) * cycle);
        CHECK(system.duration(scores, 1) == (a + 129 * 64 * 2 + out) * cycle);
    });
}

TEST_CASE("a prefill of a whole context computes half the products of attention, and reads B once")
{
    VedaSystem system(paper_arrays, 256 << 10);
    system.run([&] {
        constexpr std::uint64_t tokens = 512, d = 128;
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 1, tokens, d, tokens);
        scores.ragged = LEVEE_VEDA_RAGGED_N;
        scores.lengths = system.put(std::vector<std::uint32_t>{tokens});
        CHECK(system.duration(scores) == (tokens * tokens + 9) * cycle);
        scores.flags |= LEVEE_VEDA_CAUSAL;
        CHECK(system.duration(scores) == (tokens * (tokens + 1) / 2 + 9) * cycle);
        CHECK(figures(system)["macs"] == (tokens * tokens + tokens * (tokens + 1) / 2) * d);
    });
}

TEST_CASE("a group of heads shares B and its lengths")
{
    VedaSystem system(paper_arrays, 0, 1'000'000'000'000);
    system.run([&] {
        // Heads 0 to 2 see 10 tokens, heads 3 and 4 see 20.
        levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 5, 1, 64, 20);
        scores.group = 3;
        scores.ragged = LEVEE_VEDA_RAGGED_N;
        scores.lengths = system.put(std::vector<std::uint32_t>{10, 20, 0, 0, 0});
        scores.lengths_stride[1] = 4;
        CHECK(system.duration(scores) == (3 * 10 + 2 * 20 + 9) * cycle);
    });
}

TEST_CASE("keys and values stored as (l, d) are read as one run, without a transposition")
{
    VedaSystem system;
    Asked asked;
    system.veda.queue.observe(asked);
    system.run([&] {
        constexpr std::uint32_t tokens = 300, d = 128;
        constexpr std::uint64_t bytes = 2 * tokens * d;
        const levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 1, 1, d, tokens);
        const levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, 1, 1, tokens, d);
        for (const levee_veda_operation& op : {scores, mix}) {
            CHECK(system.execute(0, describe(LEVEE_VEDA_GEMV, op)) == LEVEE_ERROR_NONE);
            const auto is_matrix = [&](const FlowUse& use) {
                return use.direction == Direction::Read && use.bytes == bytes;
            };
            CHECK(std::any_of(asked.streams.begin(), asked.streams.end(), is_matrix));
            for (const FlowUse& use : asked.streams)
                CHECK((!is_matrix(use) ||
                       (use.pattern.run_bytes == bytes && use.pattern.runs() == 1)));
        }
    });
}
