// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/placing.hpp"

#include "ip/common/element_names.hpp"
#include "ip/flash/product.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace levee::flash {

namespace {

std::uint64_t divide_up(std::uint64_t amount, std::uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

std::uint32_t weight_bits(const ModelMatrix& matrix)
{
    if (matrix.type == LEVEE_TYPE_INT8)
        return 8;
    if (matrix.type == LEVEE_TYPE_INT4)
        return 4;
    throw std::invalid_argument("computes with INT8 and INT4 weights; the model has " +
                                std::string(element_type_names[matrix.type]));
}

/// Copies the weights of a part to where its core expects them.
void fill_page(const ModelMatrix& matrix, const levee_flash_kept& kept,
               const levee_flash_part& part, std::span<std::uint8_t> page)
{
    std::fill(page.begin(), page.end(), std::uint8_t{0});
    for (std::size_t r = 0; r < part.rows; ++r) {
        const auto row = matrix.data.subspan((part.row + r) * matrix.row_bytes, matrix.row_bytes);
        const std::size_t to = r * kept.core_columns;
        if (kept.weight_bits == 8) {
            std::copy_n(row.data() + part.column, part.columns, page.data() + to);
            continue;
        }
        for (std::size_t c = 0; c < part.columns; ++c) {
            const std::size_t from = part.column + c, at = to + c;
            const int code = row[from / 2] >> from % 2 * 4 & 15;
            page[at / 2] = static_cast<std::uint8_t>(page[at / 2] | code << at % 2 * 4);
        }
    }
}

levee_flash_matrix layout_of(const Geometry& geometry, const levee_flash_kept& kept)
{
    return {geometry.channels, geometry.dies_per_channel(), kept.split,
            kept.core_rows,    kept.core_columns,           kept.flash_rows,
            kept.columns};
}

} // namespace

Placer::Placer(const Geometry& geometry, const TimingConfig& timing, std::uint32_t read_bytes,
               const PlacingConfig& config)
    : geometry_(geometry), timing_(timing), read_bytes_(read_bytes), config_(config),
      next_(geometry.planes, 0)
{
}

/// What a core's buffer holds of a tile.
std::uint64_t Placer::vector_bytes(std::uint64_t core_columns, std::uint64_t core_rows) const
{
    return core_columns * config_.input_bytes + core_rows * config_.result_bytes;
}

/// Whether a core's sums of so many products are INT32.
bool Placer::sums_fit(const flash_shape& shape, std::uint32_t core_columns) const
{
    const ProductFormat format{geometry_.page_bytes * 8 / shape.page_values, config_.input_bytes};
    return format.largest(core_columns) <= std::numeric_limits<std::int32_t>::max();
}

flash_tile Placer::tile_for(const flash_shape& shape, std::uint32_t columns) const
{
    if (config_.core_columns == 0) {
        flash_tile tile = flash_best_tile(&shape, columns);
        while (tile.core_columns > 1 &&
               (vector_bytes(tile.core_columns, 1) > timing_.buffer_bytes ||
                !sums_fit(shape, tile.core_columns)))
            tile = flash_tile_of(&shape, tile.core_columns / 2);
        const std::uint64_t input = std::uint64_t{tile.core_columns} * config_.input_bytes;
        if (input < timing_.buffer_bytes) // else check_tile() refuses it
            tile.core_rows = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                (timing_.buffer_bytes - input) / config_.result_bytes, 1, tile.core_rows));
        tile.rows = shape.cores * tile.core_rows;
        return tile;
    }
    if (config_.core_columns > shape.page_values)
        throw std::invalid_argument("has tiles of " + std::to_string(config_.core_columns) +
                                    " columns a core; a page has " +
                                    std::to_string(shape.page_values) + " weights");
    return flash_tile_of(&shape, config_.core_columns);
}

std::uint32_t Placer::alpha_for(const flash_shape& shape, const flash_tile& tile) const
{
    const flash_pace pace{timing_.read, timing_.channel_bytes_per_second, read_bytes_,
                          config_.input_bytes, config_.result_bytes};
    switch (config_.share) {
    case Share::Balanced:
        return flash_alpha_balanced(&shape, &tile, &pace);
    case Share::Printed:
        return flash_alpha_printed(&shape, &tile, &pace);
    case Share::Fixed:
        break;
    }
    return config_.alpha;
}

void Placer::check_tile(const flash_shape& shape, const flash_tile& tile) const
{
    if (!sums_fit(shape, tile.core_columns))
        throw std::invalid_argument("has tiles of " + std::to_string(tile.core_columns) +
                                    " columns a core: with inputs of " +
                                    std::to_string(config_.input_bytes) +
                                    " bytes their sums are not INT32");
    const std::uint64_t vectors = vector_bytes(tile.core_columns, tile.core_rows);
    if (vectors > timing_.buffer_bytes)
        throw std::invalid_argument("has tiles of " + std::to_string(tile.core_rows) + " x " +
                                    std::to_string(tile.core_columns) +
                                    " weights a core, whose input and result take " +
                                    std::to_string(vectors) + " bytes; its buffer has " +
                                    std::to_string(timing_.buffer_bytes));
}

std::uint32_t Placer::take(std::uint32_t plane, std::uint64_t numbers)
{
    const std::uint32_t first = next_[plane];
    if (numbers > geometry_.pages_per_plane() - first)
        throw std::length_error("has " + std::to_string(geometry_.pages_per_plane()) +
                                " pages a plane, of which " + std::to_string(first) +
                                " are taken when matrix " + std::to_string(placed_) +
                                " of the model needs " + std::to_string(numbers));
    next_[plane] += static_cast<std::uint32_t>(numbers);
    return first;
}

levee_flash_kept Placer::place(const ModelMatrix& matrix)
{
    const std::uint32_t bits = weight_bits(matrix);
    const flash_shape shape{geometry_.channels, geometry_.dies_per_channel(),
                            geometry_.page_bytes * 8 / bits};
    const flash_tile tile = tile_for(shape, matrix.columns);
    check_tile(shape, tile);
    const flash_map map = flash_divide(&shape, &tile, config_.split, matrix.rows, matrix.columns,
                                       alpha_for(shape, tile));
    if (map.flash_rows != 0 && timing_.core_macs_per_second == 0)
        throw std::invalid_argument("has no cores ('macs' is 0); expected 'placing.alpha' 0");
    const std::uint64_t rest = std::uint64_t{matrix.rows - map.flash_rows} * matrix.row_bytes;
    levee_flash_kept kept{};
    kept.head = {matrix.kind, matrix.layer};
    kept.rows = matrix.rows;
    kept.columns = matrix.columns;
    kept.row_bytes = matrix.row_bytes;
    kept.flash_rows = map.flash_rows;
    kept.core_rows = tile.core_rows;
    kept.core_columns = tile.core_columns;
    kept.plane = static_cast<std::uint8_t>(placed_ % geometry_.planes);
    kept.data_plane = static_cast<std::uint8_t>((placed_ + 1) % geometry_.planes);
    kept.page = take(kept.plane, std::uint64_t{map.tile_rows} * map.tile_columns);
    kept.data_pages = static_cast<std::uint32_t>(divide_up(rest, geometry_.page_bytes));
    kept.data_page =
        take(kept.data_plane, divide_up(kept.data_pages, std::uint64_t{geometry_.channels} *
                                                             geometry_.dies_per_channel()));
    kept.split = static_cast<std::uint8_t>(config_.split);
    kept.weight_bits = static_cast<std::uint8_t>(bits);
    kept.input_bytes = static_cast<std::uint8_t>(config_.input_bytes);
    kept.result_bytes = static_cast<std::uint8_t>(config_.result_bytes);
    kept.result_shift = static_cast<std::uint8_t>(config_.result_shift);
    ++placed_;
    return kept;
}

void Placer::write_tiles(const ModelMatrix& matrix, const levee_flash_kept& kept,
                         const StorageSink& sink) const
{
    const levee_flash_matrix layout = layout_of(geometry_, kept);
    const std::uint64_t high = std::uint64_t{layout.cores} * kept.core_rows;
    const std::uint64_t wide = std::uint64_t{layout.channels} * kept.core_columns;
    const auto columns = static_cast<std::uint32_t>(divide_up(kept.columns, wide));
    const auto tiles = static_cast<std::uint32_t>(divide_up(kept.flash_rows, high) * columns);
    std::vector<std::uint8_t> page(geometry_.page_bytes);
    for (std::uint32_t tile = 0; tile < tiles; ++tile)
        for (std::uint32_t i = 0; i < layout.channels * layout.cores; ++i) {
            const levee_flash_part part =
                levee_flash_part_of(&layout, tile / columns, tile % columns, i);
            if (part.rows == 0 || part.columns == 0)
                continue;
            fill_page(matrix, kept, part, page);
            const std::uint64_t number =
                number_of(geometry_, {part.channel, part.core, kept.plane, kept.page + tile});
            sink(number * geometry_.page_bytes, page);
        }
}

/// Rows that follow each other as in the image, cut into pages.
void Placer::write_rest(const ModelMatrix& matrix, const levee_flash_kept& kept,
                        const StorageSink& sink) const
{
    const std::uint64_t size = geometry_.page_bytes;
    const std::uint32_t dies = geometry_.dies_per_channel();
    const auto rest = matrix.data.subspan(std::uint64_t{kept.flash_rows} * kept.row_bytes);
    std::vector<std::uint8_t> page(size);
    for (std::uint32_t k = 0; k < kept.data_pages; ++k) {
        const auto bytes = rest.subspan(k * size, std::min(size, rest.size() - k * size));
        std::fill(std::copy(bytes.begin(), bytes.end(), page.begin()), page.end(), 0);
        const std::uint32_t in_channel = k / geometry_.channels;
        const std::uint64_t number =
            number_of(geometry_, {k % geometry_.channels, in_channel % dies, kept.data_plane,
                                  kept.data_page + in_channel / dies});
        sink(number * size, page);
    }
}

void Placer::write(const ModelMatrix& matrix, const levee_flash_kept& kept,
                   const StorageSink& sink) const
{
    if (matrix.data.empty())
        return;
    write_tiles(matrix, kept, sink);
    write_rest(matrix, kept, sink);
}

std::uint64_t Placer::bytes() const
{
    return *std::max_element(next_.begin(), next_.end()) * std::uint64_t{geometry_.channels} *
           geometry_.planes_per_channel() * geometry_.page_bytes;
}

} // namespace levee::flash
