// SPDX-License-Identifier: Apache-2.0
// Tests how failed dies and a slower channel affect results and time.
#include "test/unit/flash/flash_bench.hpp"

using namespace levee;
using namespace levee::test;

namespace {

using Op = levee_flash_operation;

Op product(std::uint32_t rows, std::uint32_t columns, std::uint8_t split = 0)
{
    Op op{};
    op.rows = rows;
    op.columns = columns;
    op.core_rows = op.core_columns = 16;
    op.weight_bits = 8;
    op.input_bytes = 1;
    op.result_bytes = 4;
    op.split = split;
    return op;
}

flash::Config with_failed(std::vector<flash::FailedDie> failed)
{
    flash::Config config = small_flash();
    config.failed = std::move(failed);
    return config;
}

/// Computes the product without the parts of one core.
std::vector<std::int64_t> product_without(const PlacedMatrix& placed, const flash::Geometry& g,
                                          std::uint32_t channel, std::uint32_t core)
{
    PlacedMatrix left = placed;
    const flash::Tiles tiles(g, placed.op);
    for (std::uint64_t tile = 0; tile < tiles.count(); ++tile)
        for (std::uint32_t i = 0; i < tiles.parts(); ++i) {
            const levee_flash_part part = tiles.part(tiles.place(tile), i);
            if (part.channel != channel || part.core != core)
                continue;
            for (std::uint32_t r = part.row; r < part.row + part.rows; ++r)
                std::fill_n(left.weights.begin() + r * placed.op.columns + part.column,
                            part.columns, 0);
        }
    return left.product();
}

std::vector<std::int64_t> results_of(Bench& bench, const Op& op)
{
    const std::vector<std::int32_t> words = bench.get<std::int32_t>(op.result, op.rows);
    return {words.begin(), words.end()};
}

} // namespace

TEST_CASE("the weights of a failed die count as 0, and no request is made for them")
{
    FlashBench bench({with_failed({{1, 0, 0, {}}}), with_failed({{0, 1, 0, {}}})}, 1);
    const flash::Geometry& g = bench.flashes[0]->cells().geometry();
    bench.run([&] {
        for (std::uint8_t split = 0; split < 2; ++split) {
            const PlacedMatrix placed = place_matrix(bench, product(40, 50, split), 3);
            Picoseconds took = 0;
            CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            CHECK(results_of(bench, placed.op) != placed.product());
            CHECK(results_of(bench, placed.op) == product_without(placed, g, 1, 0));
            if (split == 0) // The lost parts are 16 x 16, 16 x 2, 8 x 16 and 8 x 2.
                CHECK(bench.count("padding_weights") == (12 - 4) * 256 - (40 * 50 - 24 * 18));
        }
        Op pages{};
        pages.data_pages = 4; // The data take one page of each die.
        pages.data_plane = 1;
        pages.data = bench.put(std::vector<std::uint8_t>(4 * 256, 7));
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_READ, pages, took) == LEVEE_ERROR_NONE);
        for (const std::uint8_t opcode : {LEVEE_FLASH_PROGRAM, LEVEE_FLASH_ERASE}) {
            CHECK(bench.timed(opcode, pages, took) == LEVEE_ERROR_FIELD);
            CHECK(bench.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, data_page)));
            bench.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        }
        // A run without data has the same counts.
        const PlacedMatrix placed = place_matrix(bench, product(40, 50), 3, 1);
        CHECK(bench.timed(1, LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
    });
    // Each product has 12 parts. Die 0 of channel 1 has 4 of them with shared inputs, or 2 with a
    // diagonal division. One page of the reads is also on this die.
    CHECK(bench.count("lost_pages") + bench.count("computed_pages") + bench.count("read_pages") ==
          12 + 12 + 4);
    CHECK(bench.count("read_pages") == 3);
    CHECK(bench.count("lost_pages", 1) + bench.count("computed_pages", 1) == 12);
    CHECK(bench.count("lost_pages", 1) > 0);
}

TEST_CASE("pages moved to another die give the same bits, in the time for both dies' pages")
{
    FlashBench bench({with_failed({{0, 1, 0, 0}})});
    bench.run([&] {
        const PlacedMatrix one = place_matrix(bench, product(32, 32), 9);
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, one.op, took) == LEVEE_ERROR_NONE);
        CHECK(results_of(bench, one.op) == one.product());
        // The time is the sum of the input, tR, the input again, tR of the moved page, its product
        // and its result.
        const Picoseconds by_hand = 2 * (16'000 + 30'000'000) + 25'600'000 + 64'000;
        CHECK(took >= by_hand);
        CHECK(took < by_hand + 200'000); // The remaining time is fetch, bus and polling.
        CHECK(bench.count("vector_bytes") == 3 * 16 + 4 * 64);
        Op ragged = product(40, 50, 1);
        ragged.plane = 1;
        const PlacedMatrix placed = place_matrix(bench, ragged, 4);
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        CHECK(results_of(bench, placed.op) == placed.product());
    });
    CHECK(bench.count("lost_pages") == 0);
    CHECK(bench.count("computed_pages") == 4 + 12);
}

TEST_CASE("any dies may fail, lost or moved, with any shape and any buffer")
{
    flash::test::Random random(5);
    std::vector<flash::Config> configs;
    for (std::uint32_t i = 0; i < 8; ++i) {
        const auto channel = static_cast<std::uint32_t>(random.below(2));
        const auto die = static_cast<std::uint32_t>(random.below(2));
        flash::FailedDie moved{channel, die, 0, 1 - die}, lost{1 - channel, die, 0, {}};
        configs.push_back(with_failed(i % 2 == 0 ? std::vector{moved, lost} : std::vector{moved}));
        for (flash::TimingConfig& timing : configs.back().channels) {
            timing.in_flight = 1;
            timing.buffer_bytes = 16 + 4 * 16; // The buffer holds one page's input and result.
        }
    }
    FlashBench bench(configs);
    const flash::Geometry& g = bench.flashes[0]->cells().geometry();
    bench.run([&] {
        for (std::uint32_t i = 0; i < configs.size(); ++i) {
            const auto size = [&] { return static_cast<std::uint32_t>(1 + random.below(64)); };
            Op shape = product(size(), size(), static_cast<std::uint8_t>(i / 4));
            const PlacedMatrix placed = place_matrix(bench, shape, i, i);
            Picoseconds took = 0;
            CHECK(bench.timed(i, LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
            const flash::FailedDie& last = configs[i].failed.back();
            CHECK(results_of(bench, placed.op) ==
                  (last.moved_to ? placed.product()
                                 : product_without(placed, g, last.channel, last.die)));
        }
    });
}

TEST_CASE("a die works until it fails")
{
    FlashBench bench({with_failed({{0, 1, 1'000'000'000, {}}})});
    bench.run([&] {
        const PlacedMatrix placed = place_matrix(bench, product(32, 32), 9);
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        CHECK(results_of(bench, placed.op) == placed.product());
        sc_core::wait(1, sc_core::SC_MS);
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        CHECK(results_of(bench, placed.op) != placed.product());
    });
    CHECK(bench.count("lost_pages") == 1);
}

TEST_CASE("a slower channel gives the same bits, at the pace of its vectors")
{
    flash::Config config = small_flash();
    config.channels[1].channel_bytes_per_second = 10'000'000;
    FlashBench bench({config});
    bench.run([&] {
        const PlacedMatrix placed = place_matrix(bench, product(32, 32), 9);
        Picoseconds took = 0;
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        CHECK(results_of(bench, placed.op) == placed.product());
        // The time is that of 16 bytes of input and two results of 64 bytes, at 10 MB/s.
        const Picoseconds by_hand = 1'600'000 + 30'000'000 + 25'600'000 + 2 * 6'400'000;
        CHECK(took >= by_hand);
        CHECK(took < by_hand + 200'000);
    });
}
