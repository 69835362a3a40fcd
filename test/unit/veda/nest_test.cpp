// SPDX-License-Identifier: Apache-2.0
// What operations cost, against the sum over their products one by one.
#include "ip/common/numerics.hpp"
#include "ip/veda/nest.hpp"
#include "ip/veda/timing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace levee;
using namespace levee::veda;

namespace {

std::uint64_t units(std::uint64_t amount, std::uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

/// A random operation and its lengths.
struct Drawn {
    levee_veda_operation op{};
    std::vector<std::uint32_t> lengths;

    explicit Drawn(std::uint32_t seed) : seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(2));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(5));
        op.m = 1 + draw(20);
        op.k = op.m + draw(300);
        op.n = op.m + draw(300);
        op.group = draw(3);
        op.mode = static_cast<std::uint8_t>(draw(2));
        op.ragged = static_cast<std::uint8_t>(draw(3));
        op.flags = static_cast<std::uint8_t>(draw(2) * LEVEE_VEDA_SPLIT);
        if (op.ragged != LEVEE_VEDA_RAGGED_NONE)
            op.flags |= static_cast<std::uint8_t>(draw(2) * LEVEE_VEDA_CAUSAL);
        op.out_type = LEVEE_TYPE_FP16;
        const std::uint32_t longest = op.ragged == LEVEE_VEDA_RAGGED_K ? op.k : op.n;
        for (std::uint32_t i = 0; i < op.outer[0] * op.outer[1]; ++i)
            lengths.push_back(op.m + draw(longest - op.m + 1));
    }
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 6, drawn_++) % below; }

    /// Calls visit(k, n) for vector m of product (o0, o1).
    void size_of(std::uint32_t o0, std::uint32_t o1, std::uint32_t m, auto visit) const
    {
        const std::uint32_t shared = std::max(op.group, 1u);
        const std::uint32_t words = (op.outer[1] + shared - 1) / shared;
        const std::uint64_t seen =
            lengths[o0 * words + o1 / shared] -
            ((op.flags & LEVEE_VEDA_CAUSAL) != 0 ? op.m - 1 - m : std::uint64_t{0});
        visit(op.ragged == LEVEE_VEDA_RAGGED_K ? seen : op.k,
              op.ragged == LEVEE_VEDA_RAGGED_N ? seen : op.n);
    }

private:
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
};

} // namespace

TEST_CASE("sums of rounded-up quotients equal the sums term by term")
{
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        const auto draw = [&](std::uint32_t which, std::uint32_t below) {
            return random_word(seed, which, 0) % below;
        };
        const std::uint64_t first = 1 + draw(1, 400), count = draw(2, 60);
        const std::uint64_t factor = 1 + draw(3, seed % 2 == 0 ? 2 : 500);
        const std::uint64_t unit = 1 + draw(4, 700);
        std::uint64_t sum = 0;
        for (std::uint64_t i = first; i < first + count; ++i)
            sum += units(i * factor, unit);
        INFO(first << " " << count << " " << factor << " " << unit);
        CHECK(sum_of_units(first, count, factor, unit) == sum);
    }
    // The largest that a descriptor can ask for: 2^20 vectors of up to 2^20 elements.
    CHECK(sum_of_units(1, 1 << 20, 1, 1) == (std::uint64_t{1} << 19) * ((1 << 20) + 1));
}

namespace {

constexpr std::uint32_t rows = 4;

/// Sums over products, one by one.
struct OneByOne {
    const Drawn& drawn;
    std::uint64_t buffer, partial_sums;
    std::uint64_t beats = 0, macs = 0, a = 0, b = 0, out = 0;

    void add_block(std::uint32_t o0, std::uint32_t o1)
    {
        const levee_veda_operation& op = drawn.op;
        std::uint64_t whole = 0; // bytes of B
        drawn.size_of(o0, o1, op.m - 1,
                      [&](std::uint64_t k, std::uint64_t n) { whole = 2 * k * n; });
        const bool kept = buffer > 0 && op.m > 1;
        b += kept ? whole : 0;
        for (std::uint32_t m = 0; m < op.m; ++m)
            drawn.size_of(o0, o1, m, [&](std::uint64_t k, std::uint64_t n) {
                macs += k * n;
                out += 2 * n;
                b += kept ? 0 : 2 * k * n;
                const bool fewer = op.ragged == LEVEE_VEDA_RAGGED_N;
                a += 2 * k * (kept ? units(fewer ? 2 * k * n : whole, buffer) : 1);
            });
    }
    /// The longest of products side by side.
    void add_beats(std::uint32_t o0, std::uint32_t o1, std::uint32_t together, std::uint32_t m)
    {
        const levee_veda_operation& op = drawn.op;
        const std::uint64_t lanes = 2 / together * rows * rows;
        const auto with_merging = [&](std::uint64_t sums, std::uint64_t cycles) {
            return sums * (cycles + (partial_sums == 2 && cycles > 1 ? 2 : 0));
        };
        std::uint64_t most = 0;
        for (std::uint32_t i = o1; i < std::min<std::uint32_t>(o1 + together, op.outer[1]); ++i)
            drawn.size_of(o0, i, m, [&](std::uint64_t k, std::uint64_t n) {
                most =
                    std::max(most, op.mode == LEVEE_VEDA_INNER ? with_merging(n, units(k, lanes))
                                                               : with_merging(units(n, lanes), k));
            });
        beats += most;
    }
};

} // namespace

TEST_CASE("beats, products and traffic of random operations are those of their products, summed")
{
    const std::uint64_t buffer = GENERATE(0, 777, 1 << 20);
    const std::uint32_t partial_sums = GENERATE(1u, 2u);
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Drawn drawn(seed);
        const levee_veda_operation& op = drawn.op;
        OneByOne sums{drawn, buffer, partial_sums};
        const std::uint32_t together = (op.flags & LEVEE_VEDA_SPLIT) != 0 ? 2 : 1;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0) {
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                sums.add_block(o0, o1);
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; o1 += together)
                for (std::uint32_t m = 0; m < op.m; ++m)
                    sums.add_beats(o0, o1, together, m);
        }
        Nest nest({{2, rows, rows, {}, partial_sums}, buffer});
        nest.list(op, drawn.lengths);
        INFO("seed " << seed);
        CHECK(nest.macs() == sums.macs);
        CHECK(nest.beats() == sums.beats);
        const Nest::Traffic traffic = nest.traffic();
        CHECK(traffic.a == sums.a);
        CHECK(traffic.b == sums.b);
        CHECK(traffic.out == sums.out);
    }
}
