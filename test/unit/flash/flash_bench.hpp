// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/flash/random.hpp"

#include <memory>
#include <optional>

namespace levee::test {

/// Returns a flash with 2 channels of 2 dies (one core each), 2 planes, 4 blocks of 4 pages, and
/// pages of 256 bytes.
inline flash::Config small_flash()
{
    flash::Config config;
    config.cells.geometry = {2, 1, 2, 2, 4, 4, 256, 128};
    config.cells.code = flash::CodeFormat{256, 8, 8, 10, 9, 2};
    flash::TimingConfig timing;
    timing.read = 30'000'000;
    timing.program = 600'000'000;
    timing.erase = 3'000'000'000;
    timing.channel_bytes_per_second = 1'000'000'000;
    timing.core_macs_per_second = 10'000'000; // A page takes 25.6 us.
    timing.buffer_bytes = 2048;
    timing.slice_bytes = 64;
    config.timing = timing;
    config.channels = {timing, timing};
    config.link_bytes_per_second = 16'000'000'000;
    config.link_latency = 5'000;
    config.queue = queue_config;
    return config;
}

/// A system with flashes. Flash i is the block with number i.
struct FlashBench : Bench {
    std::vector<std::unique_ptr<flash::Flash>> flashes;

    /// `decoders` lists the decoders of flashes 0, 1 and so on; null means none. An empty list
    /// gives every flash the reference decoder.
    explicit FlashBench(const std::vector<flash::Config>& configs,
                        std::optional<std::size_t> timing_only = std::nullopt,
                        const std::vector<StreamPortConfig>& ports = {},
                        std::vector<std::unique_ptr<flash::Decoder>> decoders = {})
        : Bench("bench", ports)
    {
        decoders.resize(configs.size());
        for (const flash::Config& config : configs) {
            const DataMode data =
                flashes.size() == timing_only ? DataMode::TimingOnly : DataMode::Functional;
            const std::string name = "flash" + std::to_string(flashes.size());
            flashes.push_back(std::make_unique<flash::Flash>(name.c_str(), config,
                                                             Fabric{flows, sync, streams, data},
                                                             std::move(decoders[flashes.size()])));
            connect(flashes.back()->queue);
        }
        for (unsigned i = 0; i < flashes.size(); ++i) {
            bus.targets.bind(flashes[i]->port);
            const auto target = static_cast<unsigned>(2 + flashes.size() + i);
            bus.map({flashes[i]->name(), data_base(i), flashes[i]->cells().bytes(), target, 0});
        }
    }
    /// Returns the address of flash i's pages.
    static std::uint64_t data_base(unsigned i) { return 0x60'0000'0000 + (std::uint64_t{i} << 32); }
    /// Executes one operation, sets `took` to the time that it takes, and returns its error code.
    std::uint32_t timed(unsigned block, std::uint8_t opcode, const levee_flash_operation& op,
                        Picoseconds& took)
    {
        const Picoseconds begun = now_ps();
        submit(block, {levee::test::describe(opcode, op)});
        while ((reg(block, LEVEE_CMD_STATUS) &
                (LEVEE_CMD_STATUS_EMPTY | LEVEE_CMD_STATUS_STOPPED)) == 0)
            sc_core::wait(100, sc_core::SC_NS);
        took = now_ps() - begun;
        return reg(block, LEVEE_CMD_ERROR_CODE);
    }
    std::uint32_t timed(std::uint8_t opcode, const levee_flash_operation& op, Picoseconds& took)
    {
        return timed(0, opcode, op, took);
    }
    [[nodiscard]] std::uint64_t count(const std::string& name, std::size_t block = 0) const
    {
        return figure(*flashes[block], name);
    }
};

/// A matrix in a small flash, and its product by a plain reference on the host.
struct PlacedMatrix {
    levee_flash_operation op{};
    std::vector<std::int32_t> weights; ///< The weights, row by row.
    std::vector<std::int32_t> inputs;

    [[nodiscard]] std::vector<std::int64_t> product() const
    {
        std::vector<std::int64_t> sums(op.rows, 0);
        for (std::size_t r = 0; r < op.rows; ++r)
            for (std::size_t c = 0; c < op.columns; ++c)
                sums[r] += std::int64_t{weights[r * op.columns + c]} * inputs[c];
        return sums;
    }
};

/// Returns a part of a matrix in the form of a page.
inline std::vector<std::uint8_t> page_of(const PlacedMatrix& matrix, const levee_flash_part& part,
                                         std::uint32_t page_bytes)
{
    const levee_flash_operation& op = matrix.op;
    std::vector<std::uint8_t> page(page_bytes, 0);
    for (std::size_t r = 0; r < part.rows; ++r)
        for (std::size_t c = 0; c < part.columns; ++c) {
            const std::int32_t weight =
                matrix.weights[(part.row + r) * op.columns + part.column + c];
            const std::size_t at = r * part.stride + c;
            if (op.weight_bits == 8)
                page[at] = static_cast<std::uint8_t>(weight);
            else
                page[at / 2] =
                    static_cast<std::uint8_t>(page[at / 2] | (weight & 15) << at % 2 * 4);
        }
    return page;
}

/// Draws a random matrix and vector.
inline PlacedMatrix draw_matrix(const levee_flash_operation& shape, std::uint64_t seed)
{
    levee::flash::test::Random random(seed);
    PlacedMatrix drawn{shape, {}, {}};
    const auto draw = [&](unsigned bits) {
        return static_cast<std::int32_t>(random.below(std::uint64_t{1} << bits)) -
               (std::int32_t{1} << (bits - 1));
    };
    for (std::size_t i = 0; i < std::size_t{shape.rows} * shape.columns; ++i)
        drawn.weights.push_back(draw(shape.weight_bits));
    for (std::size_t i = 0; i < shape.columns; ++i)
        drawn.inputs.push_back(draw(8u * shape.input_bytes));
    return drawn;
}

/// Draws a random matrix and vector, and loads the matrix where the operation expects it.
inline PlacedMatrix place_matrix(FlashBench& bench, const levee_flash_operation& shape,
                                 std::uint64_t seed, std::size_t block = 0)
{
    PlacedMatrix placed = draw_matrix(shape, seed);
    auto& its_flash = *bench.flashes[block];
    const levee::flash::Geometry& g = its_flash.cells().geometry();
    const levee::flash::Tiles tiles(g, shape);
    for (std::uint64_t tile = 0; tile < tiles.count(); ++tile)
        for (std::uint32_t i = 0; i < tiles.parts(); ++i) {
            const levee_flash_part part = tiles.part(tiles.place(tile), i);
            if (part.rows == 0 || part.columns == 0)
                continue;
            const std::uint64_t number =
                number_of(g, {part.channel, part.core, shape.plane,
                              static_cast<std::uint32_t>(shape.page + tile)});
            its_flash.load(number * g.page_bytes, page_of(placed, part, g.page_bytes));
        }
    std::vector<std::uint8_t> vector;
    for (const std::int32_t input : placed.inputs)
        for (unsigned byte = 0; byte < shape.input_bytes; ++byte)
            vector.push_back(static_cast<std::uint8_t>(input >> 8 * byte));
    placed.op.input = bench.put(vector);
    placed.op.result = bench.take(std::uint64_t{shape.rows} * 8);
    return placed;
}

} // namespace levee::test
