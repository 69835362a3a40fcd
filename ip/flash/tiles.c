// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/tiles.h"

#include "core/abi/second.h"

__extension__ typedef unsigned __int128 wide; /* Holds products of picoseconds and bytes. */

static uint64_t divide_up(uint64_t amount, uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

struct flash_tile flash_tile_of(const struct flash_shape* shape, uint32_t core_columns)
{
    const uint32_t core_rows = shape->page_values / core_columns;
    return (struct flash_tile){.rows = (uint64_t)shape->cores * core_rows,
                               .columns = (uint64_t)shape->channels * core_columns,
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
    return (uint64_t)(((wide)bytes * LEVEE_PS_PER_SECOND + rate - 1) / rate);
}

/* Returns the shape of the tiles for the matrix's last columns. */
static struct flash_tile rest_of(const struct flash_shape* shape, const struct flash_tile* tile)
{
    const uint32_t core_rows = tile->core_rows << tile->rest_shift;
    const uint32_t core_columns = tile->core_columns >> tile->rest_shift;
    return (struct flash_tile){.rows = (uint64_t)shape->cores * core_rows,
                               .columns = (uint64_t)shape->channels * core_columns,
                               .core_rows = core_rows,
                               .core_columns = core_columns};
}

/* Time in which a core computes a page with rows x columns weights. */
static uint64_t core_ps(const struct flash_pace* pace, uint64_t rows, uint64_t columns)
{
    if (pace->core_macs_per_second == 0)
        return 0;
    return (uint64_t)((wide)rows * columns * LEVEE_PS_PER_SECOND / pace->core_macs_per_second);
}

/* Time of a tile (t_rc): the longer of two times: tR plus the input transfer, and the computation.
 * If the core's buffer cannot hold a second input, t_rc is the sum of both. */
static uint64_t compute_ps(const struct flash_tile* tile, const struct flash_pace* pace)
{
    const uint64_t input = (uint64_t)tile->core_columns * pace->input_bytes;
    const uint64_t result = (uint64_t)tile->core_rows * pace->result_bytes;
    const uint64_t sensing = pace->read_ps + (pace->input_ahead ? 0 : transfer_ps(pace, input));
    const uint64_t core = core_ps(pace, tile->core_rows, tile->core_columns);
    if (pace->in_flight < 2 || 2 * input + result > pace->buffer_bytes)
        return sensing + core;
    /* If the buffer cannot hold two results, a computation waits until the previous result has
     * been sent. */
    const uint64_t sent = 2 * (input + result) > pace->buffer_bytes ? transfer_ps(pace, result) : 0;
    return sensing > core + sent ? sensing : core + sent;
}

/* Average time that a tile's input waits for the results of the tile before the previous one. If
 * the cores take about as long as the arrays, input and results need the bus at the same time.
 * The wait then separates their transfers in the next tile. */
static uint64_t collision_ps(const struct flash_tile* tile, const struct flash_pace* pace)
{
    const uint64_t period = compute_ps(tile, pace);
    const uint64_t core = core_ps(pace, tile->core_rows, tile->core_columns);
    const uint64_t results = transfer_ps(pace, tile->rows * pace->result_bytes);
    if (pace->input_ahead || core > period || core + results <= period)
        return 0;
    return (core + results - period) / 2;
}

/* Time on a channel for a tile's inputs and results. */
static uint64_t vectors_ps(const struct flash_tile* tile, const struct flash_pace* pace)
{
    return transfer_ps(pace, (uint64_t)tile->core_columns * pace->input_bytes +
                                 (uint64_t)tile->rows * pace->result_bytes);
}

/* Average time between two pages that the dies of a channel sense for the NPU, if one plane of each
 * die senses. */
static uint64_t sensed_ps(const struct flash_shape* shape, const struct flash_pace* pace)
{
    return pace->read_ps / shape->cores;
}

/* Time per page read (t_r) on a channel. Inputs and results occupy the channel for `busy` out of
 * each `time`. If the dies sense pages more slowly than the channel sends them, sensing determines
 * t_r. Returns 0 if inputs and results leave no bandwidth. */
static uint64_t page_ps(const struct flash_shape* shape, const struct flash_pace* pace,
                        uint64_t busy, uint64_t time)
{
    if (busy >= time)
        return 0;
    const uint64_t sent =
        (uint64_t)((wide)transfer_ps(pace, pace->page_bytes) * time / (time - busy));
    const uint64_t sensed = sensed_ps(shape, pace);
    return sent > sensed ? sent : sensed;
}

/* Returns first / (first + second) in units of 1 / FLASH_ALPHA_ONE. */
static uint32_t share(wide first, wide second)
{
    while (first + second >= (wide)1 << 33) {
        first /= 2;
        second /= 2;
    }
    return (uint32_t)((uint64_t)first * FLASH_ALPHA_ONE / (uint64_t)(first + second));
}

uint32_t flash_alpha_balanced(const struct flash_shape* shape, const struct flash_tile* tile,
                              const struct flash_pace* pace, uint32_t columns)
{
    /* One row of tiles over all columns, as high as the tallest tile. The average time per weight
     * is then the same as in a matrix with many rows. */
    const struct levee_flash_matrix row = {.channels = shape->channels,
                                           .cores = shape->cores,
                                           .core_rows = tile->core_rows,
                                           .core_columns = tile->core_columns,
                                           .rows = 1,
                                           .columns = columns,
                                           .rest_shift = tile->rest_shift};
    const struct levee_flash_tiling tiling = levee_flash_tiling_of(&row);
    const struct flash_tile rest = rest_of(shape, tile);
    const uint64_t whole = (uint64_t)tiling.columns << tile->rest_shift;
    const uint64_t page = page_ps(
        shape, pace, whole * vectors_ps(tile, pace) + tiling.rest_columns * vectors_ps(&rest, pace),
        (whole + tiling.rest_columns) * pace->read_ps);
    if (page == 0)
        return FLASH_ALPHA_ONE;
    const wide weights = ((wide)tile->rows << tile->rest_shift) * columns;
    const wide computing =
        (wide)whole * compute_ps(tile, pace) + tiling.rest_columns * compute_ps(&rest, pace);
    return share(weights * page, computing * shape->channels * shape->page_values);
}

uint32_t flash_alpha_printed(const struct flash_shape* shape, const struct flash_tile* tile,
                             const struct flash_pace* pace)
{
    const uint64_t page = page_ps(shape, pace, vectors_ps(tile, pace), pace->read_ps);
    return page == 0 ? FLASH_ALPHA_ONE : share(page, compute_ps(tile, pace));
}

struct levee_flash_matrix flash_matrix_of(const struct flash_map* map)
{
    return (struct levee_flash_matrix){.channels = map->shape.channels,
                                       .cores = map->shape.cores,
                                       .split = (uint32_t)map->split,
                                       .core_rows = map->tile.core_rows,
                                       .core_columns = map->tile.core_columns,
                                       .rows = map->flash_rows,
                                       .columns = map->columns,
                                       .rest_shift = map->tile.rest_shift};
}

/* Counts the pages and the idle channels of tiles that cover rows x columns. */
static void count(struct flash_map* map, const struct flash_tile* tile, uint64_t columns)
{
    const uint64_t across = divide_up(columns, tile->core_columns);
    const uint64_t down = divide_up(map->flash_rows, tile->rows);
    const uint64_t beside = divide_up(columns, tile->columns);
    map->tiles += down * beside;
    map->flash_pages += divide_up(map->flash_rows, tile->core_rows) * across;
    if (map->split == LEVEE_FLASH_SPLIT_SHARED)
        map->idle_channels += down * (beside * map->shape.channels - across);
}

/* Returns the division of a matrix in which the flash gets the first `tile_rows` rows of tiles. */
static struct flash_map divide(const struct flash_request* request, const struct flash_tile* tile,
                               uint64_t tile_rows)
{
    const struct flash_shape* shape = &request->shape;
    const uint32_t rows = request->rows, columns = request->columns;
    struct flash_map map = {
        .shape = *shape, .tile = *tile, .split = request->split, .rows = rows, .columns = columns};
    const uint64_t covered = tile_rows * tile->rows;
    map.flash_rows = covered < rows ? (uint32_t)covered : rows;
    const uint64_t rest = tile->rest_shift == 0 ? 0 : columns % tile->columns;
    const struct flash_tile narrow = rest_of(shape, tile);
    if (map.flash_rows != 0 && columns != rest)
        count(&map, tile, columns - rest);
    if (map.flash_rows != 0 && rest != 0)
        count(&map, &narrow, rest);
    map.npu_pages = divide_up((uint64_t)(rows - map.flash_rows) * columns, shape->page_values);
    map.padding = (map.flash_pages + map.npu_pages) * shape->page_values - (uint64_t)rows * columns;
    return map;
}

static uint64_t tile_rows_of(uint32_t rows, const struct flash_tile* tile, uint32_t alpha)
{
    return (uint64_t)(((wide)rows * alpha + (wide)tile->rows * FLASH_ALPHA_ONE - 1) /
                      ((wide)tile->rows * FLASH_ALPHA_ONE));
}

struct flash_map flash_divide(const struct flash_shape* shape, const struct flash_tile* tile,
                              enum levee_flash_split split, uint32_t rows, uint32_t columns,
                              uint32_t alpha)
{
    const struct flash_request request = {
        .shape = *shape, .split = split, .rows = rows, .columns = columns};
    return divide(&request, tile, tile_rows_of(rows, tile, alpha));
}

uint64_t flash_time_ps(const struct flash_map* map, const struct flash_pace* pace)
{
    const struct levee_flash_matrix matrix = flash_matrix_of(map);
    const struct levee_flash_tiling tiling = levee_flash_tiling_of(&matrix);
    const struct flash_tile rest = rest_of(&map->shape, &map->tile);
    const uint64_t last = (uint64_t)tiling.rest_rows * tiling.rest_columns;
    const uint64_t whole = map->tiles - last;
    const uint64_t pages = divide_up(map->npu_pages, map->shape.channels);
    const uint64_t sent = pages * transfer_ps(pace, pace->page_bytes);
    const uint64_t busy =
        whole * vectors_ps(&map->tile, pace) + last * vectors_ps(&rest, pace) + sent;
    const uint64_t sensing = pages * sensed_ps(&map->shape, pace);
    const uint64_t reading = pages == 0 ? 0 : pace->read_ps + (busy > sensing ? busy : sensing);
    if (map->tiles == 0)
        return reading;
    const struct flash_tile* end = last != 0 ? &rest : &map->tile;
    uint64_t tiles = whole * (compute_ps(&map->tile, pace) + collision_ps(&map->tile, pace)) +
                     last * (compute_ps(&rest, pace) + collision_ps(&rest, pace));
    /* Slices of pages occupy the bus for the fraction sent / tiles of the time. An input that finds
     * a slice on the bus waits for half a slice on average. */
    const uint32_t slice = pace->slice_bytes == 0 ? pace->page_bytes : pace->slice_bytes;
    const uint64_t waits = pace->input_ahead ? 0 : map->tiles * transfer_ps(pace, slice) / 2;
    tiles += sent >= tiles ? waits : (uint64_t)((wide)waits * sent / tiles);
    const uint64_t core_rows = map->flash_rows < end->core_rows ? map->flash_rows : end->core_rows;
    tiles += core_ps(pace, core_rows, end->core_columns) +
             transfer_ps(pace, (map->flash_rows < end->rows ? map->flash_rows : end->rows) *
                                   pace->result_bytes);
    if (!pace->reads_beside)
        return tiles + reading;
    const uint64_t longest = tiles > busy ? tiles : busy;
    return longest > reading ? longest : reading;
}

int flash_tile_fits(const struct flash_shape* shape, const struct flash_tile* tile,
                    const struct flash_pace* pace)
{
    const struct flash_tile rest = rest_of(shape, tile);
    const struct flash_tile* const both[] = {tile, &rest};
    for (int i = 0; i < 2; ++i)
        if ((uint64_t)both[i]->core_columns * pace->input_bytes +
                (uint64_t)both[i]->core_rows * pace->result_bytes >
            pace->buffer_bytes)
            return 0;
    return (uint64_t)tile->core_rows * tile->core_columns <= shape->page_values;
}

uint32_t flash_alpha(const struct flash_request* request, const struct flash_tile* tile)
{
    if (request->share == FLASH_SHARE_BALANCED)
        return flash_alpha_balanced(&request->shape, tile, &request->pace, request->columns);
    if (request->share == FLASH_SHARE_PRINTED)
        return flash_alpha_printed(&request->shape, tile, &request->pace);
    return request->alpha;
}

/* Returns a tile with this many columns per core, and as many rows as the buffer can hold results.
 * The tile has at least one row, even if that does not fit. */
static struct flash_tile tile_in_buffer(const struct flash_request* request, uint32_t columns)
{
    struct flash_tile tile = flash_tile_of(&request->shape, columns);
    const struct flash_pace* pace = &request->pace;
    const uint64_t input = (uint64_t)columns * pace->input_bytes;
    const uint64_t room = input < pace->buffer_bytes ? pace->buffer_bytes - input : 0;
    const uint64_t most = room / pace->result_bytes;
    if (most < tile.core_rows)
        tile.core_rows = most == 0 ? 1 : (uint32_t)most;
    tile.rows = (uint64_t)request->shape.cores * tile.core_rows;
    return tile;
}

struct flash_tile flash_least_transfer(const struct flash_request* request)
{
    struct flash_tile tile = flash_best_tile(&request->shape, request->columns);
    tile = tile_in_buffer(request, tile.core_columns);
    while (tile.core_columns > 1 && (tile.core_columns > request->most_columns ||
                                     !flash_tile_fits(&request->shape, &tile, &request->pace)))
        tile = tile_in_buffer(request, tile.core_columns / 2);
    return tile;
}

struct candidate {
    struct flash_map map;
    uint64_t time_ps;
};

static void consider(const struct flash_request* request, const struct flash_tile* tile,
                     struct candidate* best)
{
    if (tile->core_columns > request->most_columns ||
        !flash_tile_fits(&request->shape, tile, &request->pace))
        return;
    const uint64_t up = tile_rows_of(request->rows, tile, flash_alpha(request, tile));
    const uint64_t down = request->share == FLASH_SHARE_BALANCED && up > 0 ? up - 1 : up;
    for (uint64_t tile_rows = up + 1; tile_rows-- > down;) {
        const struct flash_map map = divide(request, tile, tile_rows);
        const uint64_t time_ps = flash_time_ps(&map, &request->pace);
        if (time_ps < best->time_ps)
            *best = (struct candidate){map, time_ps};
    }
}

struct flash_map flash_fastest(const struct flash_request* request)
{
    struct flash_tile tile = flash_least_transfer(request);
    struct candidate best = {
        .map = divide(request, &tile,
                      tile_rows_of(request->rows, &tile, flash_alpha(request, &tile)))};
    best.time_ps = flash_time_ps(&best.map, &request->pace);
    for (uint32_t columns = 1; columns <= request->shape.page_values && columns != 0;
         columns *= 2) {
        tile = tile_in_buffer(request, columns);
        consider(request, &tile, &best);
        if (request->columns % tile.columns == 0)
            continue;
        for (uint32_t left = columns / 2; left != 0; left /= 2) {
            ++tile.rest_shift;
            consider(request, &tile, &best);
        }
    }
    return best.map;
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
