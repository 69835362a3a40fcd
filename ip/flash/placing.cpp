// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/placing.hpp"

#include "core/numerics/element_names.hpp"
#include "ip/flash/page_accesses.hpp"
#include "ip/flash/product.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
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

/// Copies the weights of a part to their places in its core's page.
void fill_page(const ModelMatrix& matrix, const levee_flash_kept& kept,
               const levee_flash_part& part, std::span<std::uint8_t> page)
{
    std::fill(page.begin(), page.end(), std::uint8_t{0});
    for (std::size_t r = 0; r < part.rows; ++r)
        copy_weights(kept.weight_bits,
                     matrix.data.subspan((part.row + r) * matrix.row_bytes, matrix.row_bytes),
                     part.column, part.columns, page, r * part.stride);
}

} // namespace

Placer::Placer(const Geometry& geometry, const TimingConfig& timing, std::uint32_t read_bytes,
               const PlacingConfig& config)
    : geometry_(geometry), timing_(timing), read_bytes_(read_bytes), config_(config),
      next_(geometry.planes, 0)
{
}

/// Whether a sum of this many products fits in INT32.
bool Placer::sums_fit(const flash_shape& shape, std::uint32_t core_columns) const
{
    const ProductFormat format{geometry_.page_bytes * 8 / shape.page_values, config_.input_bytes};
    return format.largest(core_columns) <= std::numeric_limits<std::int32_t>::max();
}

flash_request Placer::request_for(const ModelMatrix& matrix) const
{
    flash_request request{};
    request.shape = {geometry_.channels, geometry_.dies_per_channel(),
                     geometry_.page_bytes * 8 / weight_bits(matrix)};
    request.pace = {.read_ps = timing_.read,
                    .channel_bytes_per_second = timing_.channel_bytes_per_second,
                    .core_macs_per_second = timing_.core_macs_per_second,
                    .page_bytes = read_bytes_,
                    .slice_bytes = timing_.slice_bytes,
                    .buffer_bytes = timing_.buffer_bytes,
                    .input_bytes = config_.input_bytes,
                    .result_bytes = config_.result_bytes,
                    .in_flight = timing_.in_flight,
                    .input_ahead = timing_.input_ahead,
                    .reads_beside =
                        geometry_.planes > 1 && timing_.planes == PlaneCommands::Independent};
    request.split = config_.split;
    request.share = config_.share;
    request.alpha = config_.alpha;
    request.rows = matrix.rows;
    request.columns = matrix.columns;
    request.most_columns = 1;
    while (2 * request.most_columns <= request.shape.page_values &&
           sums_fit(request.shape, 2 * request.most_columns))
        request.most_columns *= 2;
    return request;
}

flash_map Placer::divide(const ModelMatrix& matrix) const
{
    const flash_request request = request_for(matrix);
    const flash_shape& shape = request.shape;
    if (config_.core_columns > shape.page_values)
        throw std::invalid_argument("has tiles of " + std::to_string(config_.core_columns) +
                                    " columns per core; a page has " +
                                    std::to_string(shape.page_values) + " weights");
    flash_map map;
    if (config_.core_columns == 0 && config_.tile == TileRule::Fastest) {
        map = flash_fastest(&request);
    } else {
        const flash_tile tile = config_.core_columns == 0
                                    ? flash_least_transfer(&request)
                                    : flash_tile_of(&shape, config_.core_columns);
        map = flash_divide(&shape, &tile, config_.split, matrix.rows, matrix.columns,
                           flash_alpha(&request, &tile));
    }
    check_tile(request, map.tile);
    if (map.flash_rows != 0 && timing_.core_macs_per_second == 0)
        throw std::invalid_argument("has no cores ('macs' is 0); expected 'placing.alpha: 0', or a "
                                    "larger 'macs'");
    return map;
}

void Placer::check_tile(const flash_request& request, const flash_tile& tile) const
{
    if (!sums_fit(request.shape, tile.core_columns))
        throw std::invalid_argument(
            "has tiles of " + std::to_string(tile.core_columns) +
            " columns per core: with inputs of " + std::to_string(config_.input_bytes) +
            " bytes, their sums do not fit in INT32; expected fewer columns");
    const std::uint64_t vectors = std::uint64_t{tile.core_columns} * config_.input_bytes +
                                  std::uint64_t{tile.core_rows} * config_.result_bytes;
    if (vectors > timing_.buffer_bytes)
        throw std::invalid_argument(
            "has tiles of " + std::to_string(tile.core_rows) + " x " +
            std::to_string(tile.core_columns) + " weights per core, whose input and result take " +
            std::to_string(vectors) +
            " bytes; bytes in a core's 'buffer': " + std::to_string(timing_.buffer_bytes));
}

std::uint32_t Placer::take(std::uint32_t plane, std::uint64_t numbers)
{
    const std::uint32_t first = next_[plane];
    if (numbers > geometry_.pages_per_plane() - first)
        throw std::length_error("has " + std::to_string(geometry_.pages_per_plane()) +
                                " pages per plane, which is too few: " + std::to_string(first) +
                                " are taken, and matrix " + std::to_string(placed_) +
                                " of the model needs " + std::to_string(numbers));
    next_[plane] += static_cast<std::uint32_t>(numbers);
    return first;
}

levee_flash_kept Placer::place(const ModelMatrix& matrix)
{
    const std::uint32_t bits = weight_bits(matrix);
    const flash_map map = divide(matrix);
    const std::uint64_t rest = std::uint64_t{matrix.rows - map.flash_rows} * matrix.row_bytes;
    levee_flash_kept kept{};
    kept.head = {matrix.kind, matrix.layer};
    kept.rows = matrix.rows;
    kept.columns = matrix.columns;
    kept.row_bytes = matrix.row_bytes;
    kept.flash_rows = map.flash_rows;
    kept.core_rows = map.tile.core_rows;
    kept.core_columns = map.tile.core_columns;
    kept.rest_shift = static_cast<std::uint8_t>(map.tile.rest_shift);
    kept.plane = static_cast<std::uint8_t>(placed_ % geometry_.planes);
    kept.data_plane = static_cast<std::uint8_t>((placed_ + 1) % geometry_.planes);
    kept.page = take(kept.plane, map.tiles);
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

void Placer::write(const ModelMatrix& matrix, const levee_flash_kept& kept,
                   const StorageSink& sink) const
{
    if (matrix.data.empty())
        return;
    const std::uint64_t size = geometry_.page_bytes;
    const Failures none({});
    const PageAccesses pages(geometry_, none, kept, 0);
    std::vector<std::uint8_t> content(size);
    pages.for_each_tile_page([&](const PageAccess& page) {
        fill_page(matrix, kept, page.part, content);
        sink(page.number * size, content);
    });
    // The rows for the NPU are consecutive, as in the model image, and fill page after page.
    const auto rest = matrix.data.subspan(std::uint64_t{kept.flash_rows} * kept.row_bytes);
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k) {
        const auto bytes = rest.subspan(k * size, std::min(size, rest.size() - k * size));
        std::fill(std::copy(bytes.begin(), bytes.end(), content.begin()), content.end(), 0);
        sink(pages.data_page(k).number * size, content);
    }
}

std::string Placer::describe(const ModelMatrix& matrix) const
{
    const flash_map map = divide(matrix);
    const auto percent = [](std::uint64_t part, std::uint64_t whole) {
        std::array<char, 16> text{};
        std::snprintf(text.data(), text.size(), "%.1f %%",
                      whole == 0 ? 0.0
                                 : 100 * static_cast<double>(part) / static_cast<double>(whole));
        return std::string(text.data());
    };
    const auto tile = [&](unsigned shift) {
        return std::to_string(map.tile.rows << shift) + " x " +
               std::to_string(map.tile.columns >> shift);
    };
    std::string text = std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
    if (map.flash_rows == 0)
        return text + ": all rows for the NPU";
    text += ": tile " + tile(0);
    if (map.tile.rest_shift != 0)
        text += ", last columns " + tile(map.tile.rest_shift);
    return text + "; " + std::to_string(map.flash_rows) + " rows (" +
           percent(map.flash_rows, matrix.rows) + ") for the cores in " +
           std::to_string(map.tiles) + " tiles, " +
           percent(map.idle_channels, map.tiles * geometry_.channels) +
           " of their channels without weights; " + std::to_string(map.npu_pages) +
           " pages for the NPU";
}

std::uint64_t Placer::bytes() const
{
    return *std::max_element(next_.begin(), next_.end()) * std::uint64_t{geometry_.channels} *
           geometry_.planes_per_channel() * geometry_.page_bytes;
}

} // namespace levee::flash
