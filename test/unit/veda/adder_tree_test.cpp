// SPDX-License-Identifier: Apache-2.0
// Tests the baseline of VEDA's section VI: an adder tree with the same peak, with and without a
// transposing pass.
#include "test/unit/veda/random_gemv.hpp"
#include "test/unit/veda/veda_system.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr Picoseconds cycle = 1000;
constexpr unsigned flexible = 0, tree = 1, tree_only = 2; // numbers of the blocks

/// The flexible arrays, the adder tree, and an adder tree whose operands arrive transposed.
struct Baselines : VedaSystem {
    veda::Veda transposing, plain_tree;

    explicit Baselines(std::uint64_t buffer = 0, std::uint64_t rate = 1'024'000'000'000)
        : VedaSystem(paper_arrays, buffer, rate),
          transposing("transposing", config(buffer, true), fabric),
          plain_tree("plain_tree", config(buffer, false), fabric)
    {
        connect(transposing.queue);
        connect(plain_tree.queue);
    }
    static veda::Config config(std::uint64_t buffer, bool transposes)
    {
        return {Clock{1'000'000'000},      paper_arrays, buffer, queue_config,
                veda::Dataflow::AdderTree, transposes};
    }
};

} // namespace

TEST_CASE("an adder tree mixes 300 values of 64 in 64 x 3 cycles, plus 300 to transpose them")
{
    Baselines system;
    system.run([&] {
        levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, 1, 1, 300, 64);
        CHECK(system.duration(mix, flexible) == (300 + 2) * cycle);
        CHECK(system.duration(mix, tree) == (300 + 64 * 3 + 9) * cycle);
        CHECK(system.duration(mix, tree_only) == (64 * 3 + 9) * cycle);
        CHECK(figure(system.transposing, "transposed_bytes") == 300 * 64 * 2);
        CHECK(figure(system.transposing, "macs") == 300 * 64);
        CHECK(figure(system.plain_tree, "transposed_bytes") == 0);
        // A head has more elements than there are lanes, so each row takes two cycles.
        CHECK(system.duration(system.plain(LEVEE_VEDA_OUTER, 1, 1, 300, 129), tree) ==
              (300 * 2 + 129 * 3 + 9) * cycle);
        // Scores read keys in the tree's order, so they take the same time on all three.
        const levee_veda_operation scores = system.plain(LEVEE_VEDA_INNER, 1, 1, 64, 300);
        for (const unsigned block : {flexible, tree, tree_only})
            CHECK(system.duration(scores, block) == (300 + 9) * cycle);
        // Values stored as (d, l) are already in the tree's order: no transposition.
        mix.flags |= LEVEE_VEDA_B_TRANSPOSED;
        mix.b_stride[2] = 2 * 300;
        CHECK(system.duration(mix, tree) == (64 * 3 + 9) * cycle);
        // Two adjacent heads have 64 lanes each.
        levee_veda_operation heads = system.plain(LEVEE_VEDA_OUTER, 2, 1, 300, 64);
        heads.flags |= LEVEE_VEDA_SPLIT;
        CHECK(system.duration(heads, tree) == (300 + 64 * 5 + 9) * cycle);
    });
}

TEST_CASE("B is transposed for each of several vectors, or once if it is buffered")
{
    Baselines system;
    veda::Veda buffered("buffered", Baselines::config(1 << 20, true), system.fabric);
    system.connect(buffered.queue);
    system.run([&] {
        levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, 1, 3, 300, 64);
        CHECK(system.duration(mix, tree) == (3 * (300 + 64 * 3) + 9) * cycle);
        CHECK(system.duration(mix, 3) == (300 + 3 * 64 * 3 + 9) * cycle);
        // The vectors are causal, so the rows see 254, 255 and 256 of 300 values.
        mix.flags |= LEVEE_VEDA_CAUSAL;
        mix.ragged = LEVEE_VEDA_RAGGED_K;
        mix.lengths = system.put(std::vector<std::uint32_t>{256});
        CHECK(system.duration(mix, tree) == (254 + 255 + 256 + 3 * 64 * 2 + 9) * cycle);
        CHECK(system.duration(mix, 3) == (256 + 3 * 64 * 2 + 9) * cycle);
    });
}

TEST_CASE("transposing uses the buffer: memory is read as often as without it")
{
    Baselines system(0, 1'000'000'000); // The memory takes 1 ns per byte.
    system.run([&] {
        const levee_veda_operation mix = system.plain(LEVEE_VEDA_OUTER, 1, 1, 300, 64);
        constexpr std::uint64_t bytes = 2 * (300 + 300 * 64 + 64);
        CHECK(system.duration(mix, flexible) == bytes * cycle);
        CHECK(system.duration(mix, tree) == bytes * cycle);
    });
}

TEST_CASE("an adder tree gives the bits of inner mode, whatever mode is requested")
{
    Baselines system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::size_t different = 0;
        for (std::uint32_t seed = 0; seed < 100; ++seed) {
            system.release(mark);
            Gemv gemv(system, paper_arrays, seed);
            gemv.op.mode = LEVEE_VEDA_OUTER;
            const auto on = [&](unsigned block, levee_veda_mode mode) {
                gemv.op.mode = static_cast<std::uint8_t>(mode);
                gemv.fill_output();
                CHECK(system.execute(block, describe(LEVEE_VEDA_GEMV, gemv.op)) ==
                      LEVEE_ERROR_NONE);
                return gemv.output();
            };
            const auto inner = on(flexible, LEVEE_VEDA_INNER);
            INFO("seed " << seed);
            CHECK(on(tree, LEVEE_VEDA_OUTER) == inner);
            CHECK(on(tree_only, LEVEE_VEDA_INNER) == inner);
            different += on(flexible, LEVEE_VEDA_OUTER) != inner ? 1 : 0;
        }
        CHECK(different > 20);
    });
}
