// SPDX-License-Identifier: Apache-2.0
// Tests separate tiles for a matrix's last columns, and whole matrices that are read for products
// with several vectors.
#include "test/unit/flash/flash_bench.hpp"

#include <array>

using namespace levee;
using namespace levee::test;

namespace {

using Op = levee_flash_operation;

/// Returns a product of 40 x 36 weights in tiles of 32 x 32. Its last 4 columns are in tiles of 128
/// x 8 or 256 x 4.
Op with_rest(unsigned round)
{
    Op op{};
    op.rows = 40;
    op.columns = 36;
    op.core_rows = op.core_columns = 16;
    op.plane = round & 1;
    op.page = round / 2 * 4;
    op.weight_bits = (round & 1) != 0 ? 8 : 4;
    op.input_bytes = (round & 2) != 0 ? 1 : 2;
    op.split = static_cast<std::uint8_t>(round >> 2 & 1);
    op.rest_shift = 2 + ((round ^ round >> 1 ^ round >> 2) & 1);
    op.result_bytes = 4;
    return op;
}

std::vector<std::int64_t> results_of(Bench& bench, const Op& op)
{
    if (op.input_bytes == 2)
        return bench.get<std::int64_t>(op.result, op.rows);
    const std::vector<std::int32_t> words = bench.get<std::int32_t>(op.result, op.rows);
    return {words.begin(), words.end()};
}

/// Returns the rows of a matrix, `row_bytes` apart, padded with zeros.
std::vector<std::uint8_t> rows_of(const PlacedMatrix& placed, std::uint32_t row_bytes)
{
    const Op& op = placed.op;
    std::vector<std::uint8_t> bytes(std::size_t{op.rows} * row_bytes);
    for (std::size_t r = 0; r < op.rows; ++r)
        for (std::size_t c = 0; c < op.columns; ++c) {
            const std::int32_t weight = placed.weights[r * op.columns + c];
            std::uint8_t& byte = bytes[r * row_bytes + c * op.weight_bits / 8];
            byte = static_cast<std::uint8_t>(
                op.weight_bits == 8 ? weight : byte | (weight & 15) << c % 2 * 4);
        }
    return bytes;
}

/// Returns a FETCH descriptor for the same matrix.
Op fetch_of(const Op& compute, std::uint64_t data, std::uint32_t row_bytes)
{
    Op op = compute;
    op.input = op.result = 0;
    op.input_bytes = op.result_bytes = 0;
    op.data = data;
    op.row_bytes = row_bytes;
    return op;
}

} // namespace

TEST_CASE("separate tiles for the last columns: the same product, fewer idle channels")
{
    FlashBench bench({small_flash()});
    bench.run([&] {
        for (unsigned i = 0; i < 8; ++i) {
            const PlacedMatrix placed = place_matrix(bench, with_rest(i), 70 + i);
            Picoseconds took = 0;
            CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            CHECK(results_of(bench, placed.op) == placed.product());
        }
    });
    // There are two tiles of 32 x 32 and one for the last columns. A tile of 128 x 8 gives all 4
    // columns to one channel and none to the other. A tile of 256 x 4 gives two columns to each.
    CHECK(bench.count("tiles") == 8 * 3);
    CHECK(bench.count("idle_channels") == 4);
}

TEST_CASE("a whole matrix is read row by row, in every format, division and tile")
{
    FlashBench bench({small_flash(), small_flash()}, 1);
    bench.run([&] {
        for (unsigned i = 0; i < 8; ++i) {
            const PlacedMatrix placed = place_matrix(bench, with_rest(i), 90 + i);
            const std::uint32_t row_bytes = 40 * placed.op.weight_bits / 8;
            const std::uint64_t data = bench.take(std::uint64_t{40} * row_bytes);
            const Op op = fetch_of(placed.op, data, row_bytes);
            std::array<Picoseconds, 2> took{};
            CHECK(bench.timed(0, LEVEE_FLASH_FETCH, op, took[0]) == LEVEE_ERROR_NONE);
            CHECK(bench.get<std::uint8_t>(data, std::size_t{40} * row_bytes) ==
                  rows_of(placed, row_bytes));
            CHECK(bench.timed(1, LEVEE_FLASH_FETCH, op, took[1]) == LEVEE_ERROR_NONE);
            CHECK(took[0] == took[1]);
        }
    });
    for (const char* name : {"computed_pages", "read_pages", "channel_bytes", "link_bytes"})
        CHECK(bench.count(name, 0) == bench.count(name, 1));
    CHECK(bench.count("computed_pages") == 0);
    CHECK(bench.count("channel_bytes") == bench.count("read_pages") * 256);
}

TEST_CASE("an invalid fetch is refused by its field")
{
    FlashBench bench({small_flash()});
    const PlacedMatrix placed = place_matrix(bench, with_rest(1), 5);
    bench.run([&] {
        const auto refused = [&](std::size_t member, auto spoil) {
            Op op = fetch_of(placed.op, bench.take(40 * 36), 36);
            spoil(op);
            Picoseconds took = 0;
            CHECK(bench.timed(LEVEE_FLASH_FETCH, op, took) == LEVEE_ERROR_FIELD);
            CHECK(bench.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            bench.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        refused(offsetof(Op, row_bytes), [](Op& op) { op.row_bytes = 35; });
        refused(offsetof(Op, row_bytes), [](Op& op) { op.row_bytes = 36 + 256; });
        refused(offsetof(Op, rows), [](Op& op) { op.rows = 0; });
        refused(offsetof(Op, page), [](Op& op) { op.page = 14; }); // The three tiles need 16 pages.
        refused(offsetof(Op, rest_shift), [](Op& op) { op.rest_shift = 5; });
    });
}
