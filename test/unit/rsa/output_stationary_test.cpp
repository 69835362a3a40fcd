// SPDX-License-Identifier: Apache-2.0
// Compares the timing rule of the output-stationary array with an array that is stepped multiplier
// by multiplier, and with results derived by hand.
#include "core/numerics/numerics.hpp"
#include "ip/rsa/timing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace levee::rsa;

/// An element of A or B in transit, with its index in k.
struct Beat {
    std::int32_t value;
    std::uint32_t number;
};

/// A grid that accumulates in place. It executes one fold of m rows by n columns in k beats.
class Stepped {
public:
    Stepped(std::uint32_t rows, std::uint32_t columns)
        : rows_(rows), columns_(columns), left_(rows * columns), top_(rows * columns),
          sums_(rows * columns)
    {
    }

    /// Returns the cycles from the first operand to the last result. The operand a is [m][k], and b
    /// is [k][n].
    std::uint64_t run(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b,
                      std::uint32_t k)
    {
        const auto m = static_cast<std::uint32_t>(a.size()) / k;
        const auto n = static_cast<std::uint32_t>(b.size()) / k;
        std::uint64_t cycles = 0;
        for (std::uint32_t last = 0; last < k; ++cycles)
            last = step(cycles, {&a, m}, {&b, n}, k);
        // The grid's last multiplier has received its last operands. All rows leave, one per cycle.
        results.clear();
        for (std::uint32_t r = 0; r < rows_; ++r, ++cycles)
            results.insert(results.begin(), &sums_[(rows_ - 1 - r) * columns_],
                           &sums_[(rows_ - 1 - r) * columns_] + columns_);
        return cycles;
    }

    std::vector<std::int64_t> results; ///< indexed by [rows][columns]

private:
    using Side = std::pair<const std::vector<std::int32_t>*, std::uint32_t>;

    /// Returns how many beats the grid's last multiplier has received.
    std::uint32_t step(std::uint64_t cycle, Side a, Side b, std::uint32_t k)
    {
        for (std::uint32_t r = rows_; r-- > 0;)
            for (std::uint32_t c = columns_; c-- > 0;) {
                const std::uint32_t at = r * columns_ + c;
                left_[at] = c > 0 ? left_[at - 1] : enter(cycle, r, k, [&](std::uint32_t l) {
                    return r < a.second ? (*a.first)[r * k + l] : 0;
                });
                top_[at] = r > 0 ? top_[at - columns_] : enter(cycle, c, k, [&](std::uint32_t l) {
                    return c < b.second ? (*b.first)[l * b.second + c] : 0;
                });
                if (left_[at] && top_[at]) {
                    REQUIRE(left_[at]->number == top_[at]->number);
                    sums_[at] += std::int64_t{left_[at]->value} * top_[at]->value;
                }
            }
        const auto& corner = left_.back();
        return corner ? corner->number + 1 : 0;
    }

    template <typename Element>
    static std::optional<Beat> enter(std::uint64_t cycle, std::uint32_t late, std::uint32_t k,
                                     Element element)
    {
        if (cycle < late || cycle - late >= k)
            return std::nullopt;
        const auto l = static_cast<std::uint32_t>(cycle - late);
        return Beat{element(l), l};
    }

    std::uint32_t rows_, columns_;
    std::vector<std::optional<Beat>> left_, top_;
    std::vector<std::int64_t> sums_;
};

std::vector<std::int32_t> drawn(std::size_t count, std::uint32_t seed)
{
    std::vector<std::int32_t> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<std::int8_t>(levee::random_word(seed, 1, i));
    return values;
}

ArrayShape output_stationary(std::uint32_t rows, std::uint32_t columns, std::uint32_t load,
                             bool overlap)
{
    return {rows, columns, load, 512, overlap, false, Dataflow::OutputStationary};
}

} // namespace

TEST_CASE("output stationary: one fold takes the cycles of a grid simulated step by step")
{
    const std::pair<std::uint32_t, std::uint32_t> sizes[] = {{2, 2}, {4, 4}, {5, 7}, {7, 3}};
    for (const auto& size : sizes)
        for (const std::uint32_t k : {1u, 4u, 33u}) {
            const std::uint32_t rows = size.first, columns = size.second;
            CAPTURE(rows, columns, k);
            const auto a = drawn(std::size_t{rows} * k, 1), b = drawn(std::size_t{columns} * k, 2);
            Stepped grid(rows, columns);
            const std::uint64_t cycles = grid.run(a, b, k);
            for (std::uint32_t i = 0; i < rows; ++i)
                for (std::uint32_t j = 0; j < columns; ++j) {
                    std::int64_t sum = 0;
                    for (std::uint32_t l = 0; l < k; ++l)
                        sum += a[i * k + l] * b[l * columns + j];
                    REQUIRE(grid.results[i * columns + j] == sum);
                }
            const ArrayShape array = output_stationary(rows, columns, columns, false);
            CHECK(cost_of(array, {rows, k, columns, 1, 8}).cycles == cycles);
            const ArrayShape overlapped = output_stationary(rows, columns, columns, true);
            const ProductCost alone = cost_of(overlapped, {rows, k, columns, 1, 8});
            // A single fold waits for no other, so their overlap changes nothing.
            CHECK(operation_cycles(overlapped, alone) == cycles);
        }
}

TEST_CASE("output stationary: the cycles of SCALE-Sim")
{
    for (const std::uint32_t r : {16u, 24u, 32u})
        for (const std::uint32_t c : {16u, 32u})
            for (const std::uint64_t k : {1, 7, 32, 500}) {
                const ArrayShape array = output_stationary(r, c, c, false);
                const ProductCost cost = cost_of(array, {3 * r, k, 5 * c, 1, 8});
                CHECK(operation_cycles(array, cost) == 15 * (2 * r + c + k - 2) - 1);
            }
}

TEST_CASE("output stationary: folds, traffic and the bottleneck, by hand")
{
    const ArrayShape array = output_stationary(32, 32, 32, true);
    // A prefill of 80 rows, with 16-bit by 8-bit operands, has 3 pieces of m and 2 of n. Each fold
    // covers all of k.
    const ProductCost prefill = cost_of(array, {80, 4096, 64, 2, 8});
    CHECK(prefill.folds == 6);
    CHECK(prefill.cycles == 6 * 2 * 4096);
    CHECK(prefill.streamed_rows == 160);
    CHECK(prefill.stationary_loads == 3);
    CHECK(prefill.load_cycles == 0);
    // One row takes as long as 32. Missing columns load nothing.
    CHECK(cost_of(array, {1, 4096, 64, 2, 8}).cycles == 2 * 2 * 4096);
    const ArrayShape narrow = output_stationary(32, 32, 8, true);
    const ProductCost decode = cost_of(narrow, {1, 4096, 48, 2, 8});
    // 32 columns take 4 cycles a beat. 16 columns take 2, where the passes are the bottleneck.
    CHECK(decode.cycles == 4096 * 4 + 4096 * 2);
    CHECK(decode.load_cycles == 4096 * 4);
    // With 4 bits, both operands take 2 cycles per beat.
    CHECK(cost_of(narrow, {1, 4096, 64, 2, 4}).cycles == 2 * 4096 * 2);
    // With a short k, 32 rows of results leave more slowly than they are computed. With four groups
    // of 8, each group's rows leave separately.
    CHECK(cost_of(array, {32, 8, 32, 2, 8}).cycles == 32);
    CHECK(cost_of(array, {32, 32, 32, 2, 8, 8}).cycles == 128);
    CHECK(cost_of(array, {1, 32, 32, 2, 8, 8}).cycles == 64);
    // Two groups of 20 take 40 cycles each. During the last group of 4, the 32 rows of the previous
    // group leave.
    CHECK(cost_of(array, {32, 44, 32, 2, 8, 20}).cycles == 2 * 40 + 32);
    // The last fold's rows leave after its computation: 32 rows after 64 cycles, or 17 rows. A last
    // fold of 8 cycles adds only 8, because rows of earlier folds delay only later rows.
    const auto operation = [&](const ProductShape& shape) {
        return operation_cycles(array, cost_of(array, shape));
    };
    CHECK(operation({32, 32, 32, 2, 8}) == 64 + 62 + 32);
    CHECK(operation({17, 32, 32, 2, 8}) == 64 + 62 + 17);
    CHECK(operation({96, 4, 32, 2, 8}) == 3 * 32 + 62 + 8);
    // 4 codes of 16 bits that count as one pass take 8 cycles on the port.
    CHECK(operation({32, 4, 32, 1, 16}) == 32 + 62 + 8);
    CHECK(cost_of(output_stationary(32, 32, 32, false), {32, 32, 32, 2, 8, 8}).cycles ==
          64 + 4 * 32 + 62);
}

TEST_CASE("output stationary: through a narrow port, a short k's rows leave while it is loaded")
{
    const auto operation = [](const ArrayShape& array, const ProductShape& shape) {
        return operation_cycles(array, cost_of(array, shape));
    };
    // The cycles follow the pins' contract (ip/rsa/output/boundary.hpp), with a port that loads 8
    // elements per cycle.
    const ArrayShape narrow = output_stationary(32, 32, 8, true);
    // 32 rows leave, and 16 of 32 rows while k is loaded.
    CHECK(operation(narrow, {32, 4, 32, 1, 8}) == 110);
    CHECK(operation(narrow, {32, 8, 32, 1, 8}) == 126);
    // Loading k takes 36 cycles, during which all 32 rows leave.
    CHECK(operation(narrow, {32, 9, 32, 1, 8}) == 130);
    CHECK(operation(narrow, {64, 4, 32, 1, 8}) == 142);
    CHECK(operation(output_stationary(4, 4, 1, true), {4, 1, 4, 1, 8}) == 14);
    // With groups of 4, k = 12 has three groups. Loading the first group takes 16 cycles. Then each
    // group's rows take 32 cycles to leave.
    CHECK(operation(narrow, {32, 12, 32, 1, 8, 4}) == 3 * 32 + 62 + 16);
}
