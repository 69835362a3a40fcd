// SPDX-License-Identifier: Apache-2.0
// Simulates products request by request, in the tile that was chosen for the shortest time and in
// all other tiles.
#include "ip/flash/placing.hpp"
#include "ip/flash/schedule.hpp"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>

using namespace levee;
using namespace levee::flash;
using levee::flash::test::Random;

namespace {

struct Device {
    Geometry geometry;
    TimingConfig timing;
    PlacingConfig placing;
};

/// Draws channels, dies, rates, buffers and vectors. Cores have 0.5 to 3.5 times the speed at which
/// the arrays sense pages.
Device any_device(Random& random)
{
    const auto draw = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random.below(most));
    };
    Device device{
        {draw(24), draw(6), draw(2), 2, 100'000, 128, 4096u << random.below(3), 1664}, {}, {}};
    TimingConfig& timing = device.timing;
    timing.read = (10 + random.below(60)) * 1'000'000;
    timing.channel_bytes_per_second = (200 + random.below(2200)) * 1'000'000;
    timing.core_macs_per_second =
        device.geometry.page_bytes * (50 + random.below(300)) * 10'000'000'000 / timing.read;
    timing.buffer_bytes = 1024u << random.below(3);
    timing.slice_bytes = 1024u << random.below(3);
    timing.in_flight = 2 + draw(2) / 2;
    timing.input_ahead = random.below(4) == 0;
    device.placing.result_bytes = 1u << random.below(3);
    device.placing.input_bytes = draw(2);
    return device;
}

/// Returns the time of a product in us, or nothing if a core cannot hold the tile.
std::optional<double> run(const Device& device, const ModelMatrix& matrix, TileRule rule,
                          std::uint32_t core_columns = 0)
{
    PlacingConfig config = device.placing;
    config.tile = rule;
    config.core_columns = core_columns;
    const Geometry& g = device.geometry;
    levee_flash_kept kept;
    try {
        kept = Placer(g, device.timing, g.page_bytes, config).place(matrix);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
    levee_flash_operation op{};
    op.rows = kept.flash_rows;
    op.columns = kept.columns;
    op.core_rows = kept.core_rows;
    op.core_columns = kept.core_columns;
    op.rest_shift = kept.rest_shift;
    op.weight_bits = kept.weight_bits;
    op.input_bytes = kept.input_bytes;
    op.result_bytes = kept.result_bytes;
    op.data_pages = kept.data_pages;
    op.data_plane = 1;
    const Failures none({});
    Schedule schedule(g, {g.channels, device.timing}, g.page_bytes, g.page_bytes);
    const std::uint8_t opcode = kept.flash_rows == 0 ? LEVEE_FLASH_READ : LEVEE_FLASH_COMPUTE;
    return static_cast<double>(schedule.run(opcode, op, PageAccesses(g, none, op, 0)).duration) *
           1e-6;
}

ModelMatrix matrix_of(std::uint32_t rows, std::uint32_t columns)
{
    return {1, 0, LEVEE_TYPE_INT8, rows, columns, columns, {}};
}

/// Returns by how much the tile chosen by time is slower than the best of the other tiles. These
/// are section V-A's tile and all tiles with power-of-two sizes.
double regret(const Device& device, const ModelMatrix& matrix)
{
    double best = run(device, matrix, TileRule::LeastTransfer).value();
    for (std::uint32_t columns = 1; columns <= device.geometry.page_bytes; columns *= 2)
        best = std::min(best, run(device, matrix, TileRule::Fastest, columns).value_or(best));
    return run(device, matrix, TileRule::Fastest).value() / best - 1;
}

/// Returns a machine of table II, with results of one byte.
Device cambricon(std::uint32_t channels, std::uint32_t chips)
{
    Device device{{channels, chips, 2, 2, 100'000, 128, 16384, 1664}, {}, {}};
    device.timing.read = 30'000'000;
    device.timing.channel_bytes_per_second = 1'000'000'000;
    device.timing.core_macs_per_second = 546'133'334;
    device.timing.buffer_bytes = device.timing.slice_bytes = 2048;
    device.placing.result_bytes = 1;
    return device;
}

} // namespace

TEST_CASE("on S, M and L, no single tile for the whole matrix is faster than the choice")
{
    for (const Device& device : {cambricon(8, 2), cambricon(16, 4), cambricon(32, 8)})
        for (const std::uint32_t width : {2048u, 4096u, 5120u, 7168u, 9216u, 13824u})
            CHECK(regret(device, matrix_of(3 * 4096, width)) < 0.005);
}

TEST_CASE(
    "on any device the choice takes the best tile's time, except for what the estimate ignores")
{
    Random random(41);
    double sum = 0;
    constexpr int rounds = 30;
    for (int round = 0; round < rounds; ++round) {
        const Device device = any_device(random);
        const auto rows = static_cast<std::uint32_t>(1000 + random.below(15'000));
        const auto columns = static_cast<std::uint32_t>(500 + random.below(15'000));
        const double its = regret(device, matrix_of(rows, columns));
        INFO("round " << round << ": " << rows << " x " << columns);
        CHECK(its < 0.08);
        sum += its;
    }
    // Most choices are faster than the best single tile size, because the last columns get tiles of
    // another size.
    CHECK(sum / rounds < 0.005);
}
