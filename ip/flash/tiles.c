// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/tiles.h"

__extension__ typedef unsigned __int128 wide; /* picoseconds times bytes, or picoseconds */

static uint64_t divide_up(uint64_t amount, uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

struct flash_tile flash_tile_of(const struct flash_shape* shape, uint32_t core_columns)
{
    const uint32_t core_rows = shape->page_values / core_columns;
    return (struct flash_tile){.rows = shape->cores * core_rows,
                               .columns = shape->channels * core_columns,
                               .core_rows = core_rows,
                               .core_columns = core_columns};
}

struct flash_tile flash_best_tile(const struct flash_shape* shape, uint32_t matrix_columns)
{
    const uint64_t square = (uint64_t)shape->cores * shape->page_values;
    const uint64_t needed = divide_up(matrix_columns, shape->channels);
    uint32_t columns = 1;
    while (columns < needed && (uint64_t)(2 * columns) * (2 * columns) <= square &&
           2 * columns <= shape->page_values)
        columns *= 2;
    return flash_tile_of(shape, columns);
}

uint64_t flash_tile_transfer(const struct flash_shape* shape, const struct flash_tile* tile,
                             enum levee_flash_split split, uint32_t input_bytes,
                             uint32_t result_bytes)
{
    const uint64_t copies = split == LEVEE_FLASH_SPLIT_SHARED ? 1 : shape->cores;
    return copies * tile->columns * input_bytes +
           (uint64_t)shape->channels * tile->rows * result_bytes;
}

static uint64_t transfer_ps(const struct flash_pace* pace, uint64_t bytes)
{
    const uint64_t rate = pace->channel_bytes_per_second;
    return (uint64_t)(((wide)bytes * 1000000000000u + rate - 1) / rate);
}

/* t_rc of a tile. */
static uint64_t compute_ps(const struct flash_tile* tile, const struct flash_pace* pace)
{
    return pace->read_ps + transfer_ps(pace, (uint64_t)tile->core_columns * pace->input_bytes);
}

/* t_r of a page; 0 if read-computes leave no bandwidth. */
static uint64_t page_ps(const struct flash_tile* tile, const struct flash_pace* pace)
{
    const uint64_t vectors = (uint64_t)tile->core_columns * pace->input_bytes +
                             (uint64_t)tile->rows * pace->result_bytes;
    const uint64_t busy = transfer_ps(pace, vectors);
    if (busy >= pace->read_ps)
        return 0;
    return (uint64_t)((wide)transfer_ps(pace, pace->page_bytes) * pace->read_ps /
                      (pace->read_ps - busy));
}

/* first / (first + second) */
static uint32_t share(uint64_t first, uint64_t second)
{
    while (first + second >= (uint64_t)1 << 33) {
        first /= 2;
        second /= 2;
    }
    return (uint32_t)(first * FLASH_ALPHA_ONE / (first + second));
}

uint32_t flash_alpha_balanced(const struct flash_shape* shape, const struct flash_tile* tile,
                              const struct flash_pace* pace)
{
    const uint64_t page = page_ps(tile, pace);
    return page == 0 ? FLASH_ALPHA_ONE : share(shape->cores * page, compute_ps(tile, pace));
}

uint32_t flash_alpha_printed(const struct flash_shape* shape, const struct flash_tile* tile,
                             const struct flash_pace* pace)
{
    (void)shape;
    const uint64_t page = page_ps(tile, pace);
    return page == 0 ? FLASH_ALPHA_ONE : share(page, compute_ps(tile, pace));
}

struct flash_map flash_divide(const struct flash_shape* shape, const struct flash_tile* tile,
                              enum levee_flash_split split, uint32_t rows, uint32_t columns,
                              uint32_t alpha)
{
    struct flash_map map = {
        .shape = *shape, .tile = *tile, .split = split, .rows = rows, .columns = columns};
    const uint64_t wanted = (uint64_t)rows * alpha;
    map.tile_rows = (uint32_t)divide_up(wanted, (uint64_t)tile->rows * FLASH_ALPHA_ONE);
    map.tile_columns = (uint32_t)divide_up(columns, tile->columns);
    const uint64_t covered = (uint64_t)map.tile_rows * tile->rows;
    map.flash_rows = covered < rows ? (uint32_t)covered : rows;
    map.flash_pages =
        divide_up(map.flash_rows, tile->core_rows) * divide_up(columns, tile->core_columns);
    map.npu_pages = divide_up((uint64_t)(rows - map.flash_rows) * columns, shape->page_values);
    map.padding = (map.flash_pages + map.npu_pages) * shape->page_values - (uint64_t)rows * columns;
    return map;
}

struct levee_flash_part flash_tile_part(const struct flash_map* map, uint32_t tile_row,
                                        uint32_t tile_column, uint32_t part)
{
    const struct levee_flash_matrix matrix = {.channels = map->shape.channels,
                                              .cores = map->shape.cores,
                                              .split = (uint32_t)map->split,
                                              .core_rows = map->tile.core_rows,
                                              .core_columns = map->tile.core_columns,
                                              .rows = map->flash_rows,
                                              .columns = map->columns};
    return levee_flash_part_of(&matrix, tile_row, tile_column, part);
}

struct flash_run flash_npu_page(const struct flash_map* map, uint64_t page)
{
    const uint64_t end = (uint64_t)map->rows * map->columns;
    struct flash_run run = {.first = (uint64_t)map->flash_rows * map->columns +
                                     page * map->shape.page_values};
    if (run.first < end)
        run.count = end - run.first < map->shape.page_values ? (uint32_t)(end - run.first)
                                                             : map->shape.page_values;
    return run;
}
