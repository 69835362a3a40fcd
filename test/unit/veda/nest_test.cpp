// SPDX-License-Identifier: Apache-2.0
// Compares the cost of an operation with the sum of the costs of its products, computed one by one.
#include "core/numerics/numerics.hpp"
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
        op.work_bytes = draw(2) * 3000;
        const std::uint32_t longest = op.ragged == LEVEE_VEDA_RAGGED_K ? op.k : op.n;
        for (std::uint32_t i = 0; i < op.outer[0] * op.outer[1]; ++i)
            lengths.push_back(op.m + draw(longest - op.m + 1));
    }
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 6, drawn_++) % below; }

    /// Calls visit(k, n) with the sizes of vector m of product (o0, o1).
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
    // The largest operation of a descriptor has 2^20 vectors of up to 2^20 elements.
    CHECK(sum_of_units(1, 1 << 20, 1, 1) == (std::uint64_t{1} << 19) * ((1 << 20) + 1));
}

namespace {

constexpr std::uint32_t side = 4;

/// Adds up the costs of products one by one.
struct OneByOne {
    const Drawn& drawn;
    std::uint64_t partial_sums;
    std::uint64_t beats = 0, macs = 0, a = 0, b = 0, out = 0, sums = 0;

    void add_block(std::uint32_t o0, std::uint32_t o1)
    {
        for (std::uint32_t m = 0; m < drawn.op.m; ++m)
            drawn.size_of(o0, o1, m, [&](std::uint64_t k, std::uint64_t n) {
                macs += k * n;
                out += 2 * n;
            });
    }
    /// Adds the costs of the heads from o1 on that share B, tile by tile and piece by piece.
    void add_tiles(std::uint32_t o0, std::uint32_t o1, std::uint64_t heads, const Tile& tile)
    {
        const std::uint64_t rows = drawn.op.m;
        for (std::uint64_t head = 0; head < heads; head += tile.heads)
            for (std::uint64_t row = 0; row < rows; row += tile.rows)
                drawn.size_of(o0, o1,
                              static_cast<std::uint32_t>(std::min(row + tile.rows, rows) - 1),
                              [&](std::uint64_t k, std::uint64_t n) {
                                  b += 2 * k * n;
                                  const std::uint64_t together = std::min(tile.heads, heads - head);
                                  for (std::uint64_t c = 0; c < n; c += tile.columns)
                                      add_vectors(o0, o1, together, tile, row, c);
                              });
    }
    /// Adds the cost of the longest of the products that run in parallel.
    void add_beats(std::uint32_t o0, std::uint32_t o1, std::uint32_t together, std::uint32_t m)
    {
        const levee_veda_operation& op = drawn.op;
        const std::uint64_t lanes = 2 / together * side * side;
        const auto with_merging = [&](std::uint64_t results, std::uint64_t cycles) {
            return results * (cycles + (partial_sums == 2 && cycles > 1 ? 2 : 0));
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

private:
    /// Adds the bytes that the vectors of a tile move for its columns from `column` on.
    void add_vectors(std::uint32_t o0, std::uint32_t o1, std::uint64_t heads, const Tile& tile,
                     std::uint64_t row, std::uint64_t column)
    {
        const std::uint64_t end = std::min<std::uint64_t>(row + tile.rows, drawn.op.m);
        for (; row < end; ++row)
            drawn.size_of(
                o0, o1, static_cast<std::uint32_t>(row), [&](std::uint64_t k, std::uint64_t n) {
                    if (n <= column)
                        return;
                    a += heads * 2 * k;
                    const std::uint64_t columns = std::min(n - column, tile.columns);
                    sums += tile.works ? heads * 4 * partial_sums * columns * (units(k, tile.k) - 1)
                                       : 0;
                });
    }
};

/// The bytes that a tile needs on chip, with or without sums, and their limit.
struct Room {
    const levee_veda_operation& op;
    std::uint64_t buffer, lanes, partial_sums;

    [[nodiscard]] bool holds(const Family& family, const Tile& tile) const
    {
        const std::uint64_t piece = 2 * tile.k * tile.columns;
        const std::uint64_t waiting =
            tile.k < family.k.last ? 4 * partial_sums * tile.heads * tile.rows * tile.columns : 0;
        const std::uint64_t parts = (op.flags & LEVEE_VEDA_SPLIT) != 0 ? 2 : 1;
        const std::uint64_t room = buffer / parts, work = op.work_bytes / parts;
        return tile.works ? piece <= room && waiting <= work : piece + waiting <= room;
    }
    /// Returns whether every tile except the last uses all lanes and fills the adder tree.
    [[nodiscard]] bool fits(const Family& family, const Tile& tile) const
    {
        const bool inner = op.mode == LEVEE_VEDA_INNER;
        const std::uint64_t unit = inner ? lanes * partial_sums : 4 * partial_sums;
        return (tile.k == family.k.last || tile.k % unit == 0) &&
               (inner || tile.columns == family.n.last || tile.columns % lanes == 0);
    }
};

} // namespace

TEST_CASE("beats, products and traffic of random operations equal the sums over their products")
{
    const std::uint64_t buffer = GENERATE(0, 777, 5000, 1 << 20);
    const std::uint32_t partial_sums = GENERATE(1u, 2u);
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Drawn drawn(seed);
        const levee_veda_operation& op = drawn.op;
        OneByOne by_hand{drawn, partial_sums};
        const std::uint32_t together = (op.flags & LEVEE_VEDA_SPLIT) != 0 ? 2 : 1;
        const std::uint32_t group = std::max(op.group, 1u);
        const Room room{op, buffer, 2 / together * side * side, partial_sums};
        Nest nest({{2, side, side, {}, partial_sums}, buffer});
        nest.list(op, drawn.lengths);
        INFO("seed " << seed);
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0) {
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                by_hand.add_block(o0, o1);
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; o1 += group) {
                const std::size_t first = o0 * op.outer[1] + o1;
                const Family family = nest.family(first);
                const Tile tile = nest.tile(first);
                CHECK((tile.heads * tile.rows == 1 || room.holds(family, tile)));
                CHECK(room.fits(family, tile));
                by_hand.add_tiles(o0, o1, std::min(group, op.outer[1] - o1), tile);
            }
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; o1 += together)
                for (std::uint32_t m = 0; m < op.m; ++m)
                    by_hand.add_beats(o0, o1, together, m);
        }
        CHECK(nest.macs() == by_hand.macs);
        CHECK(nest.beats() == by_hand.beats);
        const Nest::Traffic traffic = nest.traffic();
        CHECK(traffic.a == by_hand.a);
        CHECK(traffic.b == by_hand.b);
        CHECK(traffic.sums == by_hand.sums);
        CHECK(traffic.out == by_hand.out);
    }
}

namespace {

/// Returns the bytes of an operation with weights, after comparing them with those of every other
/// tile.
std::uint64_t bytes_of_chunk(const Machine& machine, levee_veda_mode mode, std::uint32_t vectors,
                             std::uint32_t k, std::uint32_t n)
{
    levee_veda_operation op{};
    op.outer[0] = op.outer[1] = 1;
    op.m = vectors;
    op.k = k;
    op.n = n;
    op.mode = static_cast<std::uint8_t>(mode);
    op.out_type = LEVEE_TYPE_FP16;
    op.work = 4;
    op.work_bytes = 224 << 10;
    Nest nest(machine);
    nest.list(op, {});
    const Nest::Traffic traffic = nest.traffic();
    const Room room{op, machine.buffer_bytes, machine.arrays.lanes(), 1};
    for (std::uint64_t rows = 1; rows <= vectors; rows += 1 + rows / 8)
        for (std::uint64_t columns = 128; columns < n; columns += 128)
            for (const std::uint64_t piece : {std::uint64_t{k}, std::uint64_t{128}}) {
                const Tile other{1, rows, columns, piece, true};
                const bool possible = room.holds(nest.family(0), other);
                const std::uint64_t bytes =
                    2ull * k * vectors * units(n, columns) + 2ull * k * n * units(vectors, rows);
                CHECK((!possible || bytes >= traffic.a + traffic.b));
            }
    return traffic.a + traffic.b;
}

} // namespace

TEST_CASE(
    "no other tile of a prefill's product moves fewer bytes, and larger chunks do not move more")
{
    const Machine machine{{2, 8, 8}, 32 << 10};
    const levee_veda_mode mode = GENERATE(LEVEE_VEDA_INNER, LEVEE_VEDA_OUTER);
    for (const auto& [k, n] : {std::pair{4096u, 12288u}, std::pair{11008u, 4096u}}) {
        std::uint64_t before = bytes_of_chunk(machine, mode, 1, k, n) * 1024;
        for (std::uint32_t chunk = 2; chunk <= 1024; chunk *= 2) {
            const std::uint64_t bytes = bytes_of_chunk(machine, mode, chunk, k, n) * (1024 / chunk);
            INFO(chunk << " vectors, " << k << " x " << n);
            CHECK(bytes <= before);
            before = bytes;
        }
    }
}

TEST_CASE("heads that share B share its reads, however many heads there are")
{
    const Machine machine{{2, 8, 8}, 32 << 10};
    const std::uint32_t heads = GENERATE(1u, 2u, 4u, 7u, 8u, 71u);
    levee_veda_operation op{};
    op.outer[0] = 1;
    op.outer[1] = static_cast<std::uint16_t>(2 * heads);
    op.group = heads;
    op.m = 1;
    op.out_type = LEVEE_TYPE_FP16;
    const bool from_port = GENERATE(false, true);
    for (const levee_veda_mode mode : {LEVEE_VEDA_INNER, LEVEE_VEDA_OUTER}) {
        op.mode = static_cast<std::uint8_t>(mode);
        op.k = mode == LEVEE_VEDA_INNER ? 64 : 2000;
        op.n = mode == LEVEE_VEDA_INNER ? 2000 : 64;
        op.a = from_port && mode == LEVEE_VEDA_OUTER ? LEVEE_STREAM(0) : 64;
        Nest nest(machine);
        nest.list(op, {});
        CHECK(nest.traffic().b == 2 * 2000 * 64 * 2);
        CHECK(nest.can_stream());
        op.tap = op.a == 64 ? 0 : 2; // A reader of single elements gets one head after the other.
        nest.list(op, {});
        CHECK(nest.traffic().b == 2 * 2000 * 64 * 2 * (op.tap != 0 ? heads : 1));
        op.tap = 0;
    }
}
