// SPDX-License-Identifier: Apache-2.0
// Tests the reference of the associative memory against figures derived by hand, and tests
// properties that hold for any vectors.
#include "core/numerics/numerics.hpp"
#include "ip/cam/model.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace levee;
using namespace levee::cam;
using Levels = std::vector<std::uint8_t>;
using Slots = std::vector<std::uint32_t>;
using Vector = std::vector<std::int16_t>;

Levels stored(const Format& format, const Vector& vector, float scale = 1)
{
    Levels proxy(cells(format));
    store(format, vector, scale, proxy);
    return proxy;
}

Levels asked(const Format& format, const Vector& vector)
{
    Levels proxy(cells(format));
    ask(format, vector, proxy);
    return proxy;
}

Format format(std::uint32_t n, unsigned bits, levee_cam_distance distance, float range = 0)
{
    return {n, static_cast<std::uint8_t>(bits), distance, range};
}

Vector draw(std::uint32_t n, std::uint32_t stream, std::uint64_t index)
{
    Vector vector(n);
    for (std::uint32_t i = 0; i < n; ++i)
        vector[i] = static_cast<std::int16_t>(
            static_cast<int>(random_word(7, stream, index * n + i) % 65535) - 32767);
    return vector;
}

/// Returns 4 times the inner product of the levels, each relative to the middle level.
std::int64_t product(const Levels& a, const Levels& b, std::uint32_t n, unsigned bits)
{
    const std::int64_t most = (1 << bits) - 1;
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < n; ++i)
        sum += (2 * a[i] - most) * (2 * b[i] - most);
    return sum;
}

} // namespace

TEST_CASE("by hand: levels, distances and the nearest rows")
{
    // With two bits the ranges are [-32768, -16384), [-16384, 0), [0, 16384) and [16384, 32767].
    const Format l2 = format(4, 2, LEVEE_CAM_L2);
    CHECK(stored(l2, {-32767, -1, 0, 32767}) == Levels{0, 1, 2, 3});
    CHECK(asked(l2, {-16384, -16385, 16383, 16384}) == Levels{1, 0, 2, 3});
    CHECK(distance(l2, Levels{0, 1, 2, 3}, Levels{1, 0, 2, 3}) == 2);
    CHECK(distance(l2, Levels{0, 0, 0, 3}, Levels{3, 2, 1, 3}) == 14);
    CHECK(distance(format(4, 2, LEVEE_CAM_HAMMING), Levels{0, 0, 0, 3}, Levels{3, 2, 1, 3}) == 3);
    // One bit stores the sign; 0 counts as positive.
    CHECK(stored(format(3, 1, LEVEE_CAM_HAMMING), {-1, 0, 1}) == Levels{0, 1, 1});
    // The two smallest distances are in slots 3 and 0. Among equal distances the lowest slot wins.
    const std::vector<double> distances{5, 9, 9, 1, 7, 7};
    CHECK(nearest(distances, 1) == Slots{3});
    CHECK(nearest(distances, 3) == Slots{0, 3, 4});
    CHECK(nearest(distances, 5) == Slots{0, 1, 3, 4, 5});
    CHECK(nearest(distances, 6) == Slots{0, 1, 2, 3, 4, 5});
    CHECK(nearest(distances, 99) == Slots{0, 1, 2, 3, 4, 5});
}

TEST_CASE("by hand: a range distinguishes long vectors from short ones, and saturates")
{
    // With 3 bits, 0.5 in a range of 2 is level 5. Values beyond the range get the first or last
    // level.
    const Format ranged = format(3, 3, LEVEE_CAM_L2, 2.0f);
    CHECK(stored(ranged, {16384, 32767, -32767}, 1.0f / 32768) == Levels{5, 5, 2});
    CHECK(stored(ranged, {16384, 32767, -32767}, 4.0f / 32768) == Levels{7, 7, 0});
    CHECK(stored(format(3, 3, LEVEE_CAM_L2), {16384, 32767, -32767}, 4.0f) == Levels{6, 7, 0});
}

TEST_CASE("by hand: norm cells supply the norm that a shorter vector lacks")
{
    // The vector has two-bit levels 3, 1 and 2. The norm cells make up the missing squared norm 0 +
    // 2 + 2 = 4.
    const Format product = format(3, 2, LEVEE_CAM_L2_PRODUCT);
    CHECK(stored(product, {32767, -1, 0}) == Levels{3, 1, 2, 2, 0, 0, 0});
    CHECK(asked(product, {32767, -1, 0}) == Levels{3, 1, 2, 0, 0, 0, 0});
    CHECK(stored(product, {32767, -32767, 0}) == Levels{3, 0, 2, 1, 1, 0, 0});
    // The plain distance prefers the short vector, the inner product the long one.
    const Levels query = asked(product, {32767, 10000, 10000});
    CHECK(query == Levels{3, 2, 2, 0, 0, 0, 0});
    const Levels close = stored(product, {10000, 10000, 10000}); // The levels are 2, 2 and 2.
    const Levels along = stored(product, {32767, 32767, 32767}); // The levels are 3, 3 and 3.
    const Format plain = format(3, 2, LEVEE_CAM_L2);
    CHECK(distance(plain, Levels{2, 2, 2}, Levels{3, 2, 2}) == 1);
    CHECK(distance(plain, Levels{3, 3, 3}, Levels{3, 2, 2}) == 2);
    CHECK(distance(product, close, query) == 7); // The distance is 1 as above, plus 6 for the norm.
    CHECK(distance(product, along, query) == 2);
}

TEST_CASE("L2 with norm cells ranks rows like the inner product of levels")
{
    const unsigned bits = GENERATE(1u, 2u, 3u, 4u, 6u, 8u);
    const std::uint32_t n = GENERATE(1u, 8u, 64u);
    const Format form = format(n, bits, LEVEE_CAM_L2_PRODUCT);
    const Levels query = asked(form, draw(n, 1, 0));
    // Checks distance = |q|^2 + greatest norm - (the part of the norm that the cells cannot
    // represent) - 2 q k. All levels are relative to the middle level.
    std::int64_t constant = 0, left = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Levels key = stored(form, draw(n, 2, i));
        const std::int64_t sum = 2 * static_cast<std::int64_t>(distance(form, key, query)) +
                                 product(key, query, n, bits);
        constant = std::max(constant, sum);
        left = i == 0 ? sum : std::min(left, sum);
    }
    CHECK(constant - left <= 2 * 6);
}

TEST_CASE("K = N finds all rows, and one more result never loses an earlier one")
{
    std::vector<double> distances(97);
    for (std::size_t i = 0; i < distances.size(); ++i)
        distances[i] = random_word(3, 0, i) % 10; // There are few values, so many ties.
    const Slots all = nearest(distances, distances.size());
    for (std::uint32_t i = 0; i < all.size(); ++i)
        CHECK(all[i] == i);
    Slots before;
    for (std::size_t k = 1; k <= distances.size(); ++k) {
        const Slots found = nearest(distances, k);
        CHECK(found.size() == k);
        CHECK(std::ranges::is_sorted(found));
        CHECK(std::ranges::includes(found, before));
        before = found;
    }
}

TEST_CASE("noise: seeded, with the stated deviation, only in cells that differ")
{
    const Format form = format(64, 1, LEVEE_CAM_HAMMING);
    const Levels key(64, 1);
    Levels query(64, 1);
    std::fill_n(query.begin(), 16, std::uint8_t{0}); // These 16 cells differ from the rows.
    const auto deviation = [&](const Noise& noise, bool same_row) {
        double sum = 0, squares = 0;
        constexpr int draws = 4000;
        for (std::uint64_t i = 0; i < draws; ++i) {
            const Reading reading{same_row ? 5 : i, i, 32};
            const double read = read_distance(form, key, query, noise, reading);
            CHECK(read == read_distance(form, key, query, noise, reading));
            sum += read - 16;
            squares += (read - 16) * (read - 16);
        }
        CHECK(std::abs(sum / draws) < 0.15);
        return std::sqrt(squares / draws - (sum / draws) * (sum / draws));
    };
    // Cell noise has a deviation of 0.1 * sqrt(16). It differs between rows and repeats in each
    // search. Line noise is that of two lines with 0.5 each. An estimate from 4000 draws deviates
    // by 1.1 %; the bound is 4 times that.
    CHECK(std::abs(deviation({0.1, 0, 1}, false) / 0.4 - 1) < 0.045);
    CHECK(deviation({0.1, 0, 1}, true) < 1e-6);
    CHECK(std::abs(deviation({0, 0.5, 1}, true) / (0.5 * std::sqrt(2.0)) - 1) < 0.045);
    CHECK(read_distance(form, key, key, {0.1, 0, 1}, {3, 4, 32}) == 0);
    CHECK(read_distance(form, key, query, {0.1, 0, 1}, {3, 4, 32}) !=
          read_distance(form, key, query, {0.1, 0, 2}, {3, 4, 32}));
    CHECK(read_distance(form, key, query, {}, {3, 4, 32}) == 16);
}

TEST_CASE("by hand: lists are joined, and the heads' lists refer to the joined list")
{
    // Two heads list the slots 1 4 7 and 0 4 9. Slot 9 is beyond the range of the joined list, so
    // the last place is empty.
    Slots lists{1, 4, 7, 0, 4, 9, LEVEE_CAM_NONE};
    CHECK(join(lists, 8) == Slots{0, 1, 4, 7});
    CHECK(lists == Slots{1, 2, 3, 0, 2, 9, LEVEE_CAM_NONE});
    CHECK(join(lists, 0).empty());
}
