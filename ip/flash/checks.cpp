// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/checks.hpp"

#include "core/flow/streams.hpp"
#include "ip/flash/product.hpp"

#include <limits>

namespace levee::flash {

namespace {

using Op = levee_flash_operation;

constexpr std::uint32_t most_data_pages = 1u << 20; ///< Rejects absurd sizes from a corrupt
                                                    ///< descriptor.

void need(bool good, std::size_t member)
{
    need_field(good, LEVEE_ERROR_FIELD, member);
}

/// Checks the tiles of a COMPUTE or FETCH.
void check_tiles(const Op& op, const Geometry& g)
{
    need(op.rows != 0, offsetof(Op, rows));
    need(op.columns != 0, offsetof(Op, columns));
    need(op.weight_bits == 8 || op.weight_bits == 4, offsetof(Op, weight_bits));
    need(op.split <= LEVEE_FLASH_SPLIT_DIAGONAL, offsetof(Op, split));
    const std::uint64_t weights = std::uint64_t{g.page_bytes} * 8 / op.weight_bits;
    need(op.core_columns != 0 && op.core_columns <= weights, offsetof(Op, core_columns));
    need(op.core_rows != 0 && op.core_rows <= weights / op.core_columns, offsetof(Op, core_rows));
    need(op.rest_shift < 32 && op.core_columns % (std::uint64_t{1} << op.rest_shift) == 0,
         offsetof(Op, rest_shift));
    const Tiles tiles(g, op);
    need(op.plane < g.planes, offsetof(Op, plane));
    need(op.page < g.pages_per_plane() && tiles.count() <= g.pages_per_plane() - op.page,
         offsetof(Op, page));
}

void check_product(const Op& op, const Config& config)
{
    const TimingConfig& timing = config.timing;
    need(op.input_bytes == 1 || op.input_bytes == 2, offsetof(Op, input_bytes));
    need(op.result_bytes == 1 || op.result_bytes == 2 || op.result_bytes == 4,
         offsetof(Op, result_bytes));
    need(op.result_shift <= (op.result_bytes < 4 ? 31 : 0), offsetof(Op, result_shift));
    need(timing.core_macs_per_second != 0, offsetof(Op, rows));
    const auto fits = [&](std::uint64_t columns, std::uint64_t rows) {
        return columns * op.input_bytes + rows * op.result_bytes <= timing.buffer_bytes;
    };
    need(fits(op.core_columns, op.core_rows), offsetof(Op, core_columns));
    need(fits(op.core_columns >> op.rest_shift, std::uint64_t{op.core_rows} << op.rest_shift),
         offsetof(Op, rest_shift));
    // Sums must fit in the 4 bytes that are sent on the channel, and in the elements of the result.
    const ProductFormat format{op.weight_bits, op.input_bytes};
    constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
    need(format.largest(op.core_columns) <= largest, offsetof(Op, core_columns));
    const bool narrow = op.input_bytes == 1 && op.weight_scale == 0;
    need(!narrow || format.largest(op.columns) <= largest, offsetof(Op, columns));
    const std::uint64_t rounded = Tiles(config.cells.geometry, op).partial_sums()
                                  << op.result_shift; // Bound of the total rounding error.
    need(!narrow || format.largest(op.columns) + rounded <= largest, offsetof(Op, result_shift));
}

void check_fetch(const Op& op, const Geometry& g)
{
    const std::uint64_t least = (std::uint64_t{op.columns} * op.weight_bits + 7) / 8;
    // Rejects absurd sizes from a corrupt descriptor.
    need(op.row_bytes >= least && op.row_bytes - least < g.page_bytes, offsetof(Op, row_bytes));
}

void check_pages(std::uint8_t opcode, const Op& op, const Geometry& g)
{
    need(op.data_pages <= most_data_pages, offsetof(Op, data_pages));
    if (op.data_pages == 0)
        return;
    need(op.data_plane < g.planes, offsetof(Op, data_plane));
    const std::uint64_t row = std::uint64_t{g.channels} * g.dies_per_channel();
    const std::uint64_t numbers = (op.data_pages + row - 1) / row;
    need(op.data_page < g.pages_per_plane() && numbers <= g.pages_per_plane() - op.data_page,
         offsetof(Op, data_page));
    if (opcode == LEVEE_FLASH_ERASE)
        need(op.data_page % g.pages == 0, offsetof(Op, data_page));
}

} // namespace

void check_writable(std::uint8_t opcode, const PageAccesses& pages, const Cells& cells)
{
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k) {
        const PageAccess page = pages.data_page(k);
        need(!page.is_lost() && (opcode == LEVEE_FLASH_ERASE || cells.is_erased(page.number)),
             offsetof(Op, data_page));
    }
}

void check(std::uint8_t opcode, const Op& op, const Config& config)
{
    const Geometry& g = config.cells.geometry;
    const bool computes = opcode == LEVEE_FLASH_COMPUTE, fetches = opcode == LEVEE_FLASH_FETCH;
    const bool scaled = op.weight_scale != 0, streams = StreamPorts::is_stream(op.data);
    need(scaled || op.input_scale == 0, offsetof(Op, input_scale));
    need(scaled || op.bias == 0, offsetof(Op, bias));
    need(computes || !scaled, offsetof(Op, weight_scale));
    need(op.data_pages != 0 || fetches || !streams, offsetof(Op, data));
    need(computes || fetches || opcode == LEVEE_FLASH_READ || !streams, offsetof(Op, data));
    need(fetches || op.row_bytes == 0, offsetof(Op, row_bytes));
    if (computes || fetches) {
        check_tiles(op, g);
    } else {
        need(op.rows == 0, offsetof(Op, rows));
        need(op.columns == 0, offsetof(Op, columns));
        need(op.core_rows == 0, offsetof(Op, core_rows));
        need(op.core_columns == 0, offsetof(Op, core_columns));
        need(op.page == 0, offsetof(Op, page));
        need(op.rest_shift == 0, offsetof(Op, rest_shift));
        need(op.data_pages != 0, offsetof(Op, data_pages));
    }
    if (computes)
        check_product(op, config);
    if (fetches)
        check_fetch(op, g);
    check_pages(opcode, op, g);
}

} // namespace levee::flash
