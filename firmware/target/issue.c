// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/issue.h"

#include "firmware/cache/weave.h"
#include "firmware/hal/system.h"
#include "firmware/llm/transformer.h"

#include <stddef.h>
#include <string.h>

#define MOST_OPERATIONS (TRANSFORMER_MAX_OPERATIONS + CACHE_MAX_OPERATIONS)
#define MOST_TILED (MOST_OPERATIONS + TILING_MAX_OPERATIONS)

/* One of the lists of operations that make up a pass. */
struct pass_list {
    struct operation operations[MOST_OPERATIONS];
    struct operation_list list;
};

static struct operation_list* emptied(struct pass_list* pass_list)
{
    pass_list->list = (struct operation_list){pass_list->operations, 0, MOST_OPERATIONS};
    return &pass_list->list;
}

static struct operation_list* list_begin(struct pass_list* out)
{
    transformer_begin(emptied(out));
    return &out->list;
}

static struct operation_list* list_attention(const struct lowering* lowering,
                                             const struct pass* pass, uint32_t layer,
                                             struct pass_list* out)
{
    const struct cache* cache = &lowering->placement->cache;
    struct operation plain[TRANSFORMER_MAX_OPERATIONS];
    struct operation_list transformer = {plain, 0, TRANSFORMER_MAX_OPERATIONS};
    if (cache->hook_count == 0 || cache->layers[layer].local) {
        transformer_attention(lowering->model, layer, pass->shape.separate, emptied(out));
        return &out->list;
    }
    transformer_attention(lowering->model, layer, pass->shape.separate, &transformer);
    cache_weave(cache, pass, &transformer, emptied(out));
    return &out->list;
}

static struct operation_list* list_feed_forward(const struct lowering* lowering, uint32_t layer,
                                                struct pass_list* out)
{
    transformer_feed_forward(lowering->model, layer, emptied(out));
    return &out->list;
}

static struct operation_list* list_end(const struct lowering* lowering, struct pass_list* out)
{
    transformer_end(lowering->model, emptied(out));
    return &out->list;
}

static bool is_needed(const struct row* row, const struct lowering* lowering,
                      const struct pass* pass, const struct operation* operation, uint32_t part)
{
    if (row->left_out)
        return false;
    return row->is_needed == NULL || row->is_needed(lowering, pass, operation, part);
}

static bool is_by_part(const struct row* row, const struct pass* pass)
{
    return row->by_part != NULL && row->by_part(pass);
}

static void issue_whole(struct program* program, const struct lowering* lowering,
                        const struct pass* pass, const struct row* row, struct operation* operation)
{
    const uint32_t parts = is_by_part(row, pass)
                               ? cache_parts(&lowering->placement->cache, pass, operation->layer)
                               : 1;
    const struct addition addition = {operation, row, lowering, pass, parts > 1, !lowering->tiled};
    for (uint32_t part = 0; part < parts; ++part) {
        operation->part = (uint8_t)part;
        if (is_needed(row, lowering, pass, operation, part))
            program_add(program, &addition);
    }
}

/* Returns the tiled form of an operation in a tiled pass; NULL: the operation runs as a whole. */
static const struct tiled* tiled_of(const struct lowering* lowering, const struct row* row,
                                    const struct operation* operation)
{
    const struct tiled* tiled = row->tiled;
    const bool taken = tiled != NULL && (tiled->takes == NULL || tiled->takes(lowering, operation));
    return taken ? tiled : NULL;
}

/* Adds the work of one tile, operation by operation. */
static void issue_tile(const struct issuer* issuer, struct program* program,
                       const struct lowering* lowering, const struct pass* pass,
                       struct operation_list* list)
{
    const struct tile* tile = lowering->tile;
    for (uint32_t i = 0; i < list->count; ++i) {
        struct operation* operation = &list->operations[i];
        struct row row = *machine_row(issuer->machine, operation);
        const struct tiled* tiled = row.tiled;
        const bool needed =
            tiled->is_needed != NULL ? tiled->is_needed(lowering, pass, tile) : !tile->again;
        if (!needed)
            continue;
        operation->part = (uint8_t)tile->part;
        row.lower = tiled->lower;
        program_add(program, &(struct addition){operation, &row, lowering, pass, false, false});
    }
}

/* Issues the postponed operations of a layer, tile by tile. */
static void issue_tiles(const struct issuer* issuer, struct program* program,
                        const struct lowering* lowering, const struct pass* pass,
                        struct operation_list* run)
{
    struct operation operations[MOST_TILED];
    struct operation_list list = {operations, 0, MOST_TILED};
    struct tile tile = {0};
    struct lowering of_tile = *lowering;
    of_tile.tile = &tile;
    if (run->count == 0)
        return;
    const struct tile_loop* loop = machine_row(issuer->machine, &run->operations[0])->tiled->loop;
    loop->list(lowering, pass, run, &list);
    while (loop->next(lowering, pass, &run->operations[0], &tile))
        issue_tile(issuer, program, &of_tile, pass, &list);
    run->count = 0;
}

static uint32_t values_read(const struct operation* operation)
{
    return operation->also_reads | VALUE_BIT(operation->reads[0]) | VALUE_BIT(operation->reads[1]);
}

static uint32_t values_written(const struct operation* operation)
{
    return operation->also_writes | VALUE_BIT(operation->writes);
}

/* Returns whether a and b must run in order, because one of them writes a value that the other
 * uses. */
static bool meet(const struct operation* a, const struct operation* b)
{
    const uint32_t written = (values_written(a) & (values_read(b) | values_written(b))) |
                             (values_written(b) & values_read(a));
    return (written & ~VALUE_BIT(VALUE_NONE)) != 0;
}

static bool meets_any(const struct operation* operation, const struct operation_list* run)
{
    for (uint32_t i = 0; i < run->count; ++i)
        if (meet(operation, &run->operations[i]))
            return true;
    return false;
}

/* Returns whether the postponed operations must be issued before this one. There is at least one
 * postponed operation. `tiled` is the tiled form of this operation; NULL: it has none. */
static bool must_follow(const struct issuer* issuer, const struct operation* operation,
                        const struct tiled* tiled, const struct operation_list* run)
{
    if (tiled == NULL)
        return meets_any(operation, run);
    return tiled->loop != machine_row(issuer->machine, &run->operations[0])->tiled->loop;
}

/* Issues a list. Tiled operations are postponed until all operations of their loop have been
 * listed, or until another operation must follow one of them. */
void issue_list(const struct issuer* issuer, struct program* program,
                const struct lowering* lowering, const struct pass* pass,
                struct operation_list* list, bool last)
{
    struct operation operations[MOST_OPERATIONS];
    struct operation_list run = {operations, 0, MOST_OPERATIONS};
    const uint32_t shared = lowering->placement->shared; /* These values share memory, so writing
                                                          * one destroys the others. */
    program_begin_list(program);
    program_place(program, lowering->values);
    for (uint32_t i = 0; i < list->count; ++i) {
        struct operation* operation = &list->operations[i];
        const struct row* row = machine_row(issuer->machine, operation);
        const struct tiled* tiled = lowering->tiled ? tiled_of(lowering, row, operation) : NULL;
        if (run.count != 0 && must_follow(issuer, operation, tiled, &run))
            issue_tiles(issuer, program, lowering, pass, &run);
        if (tiled != NULL) {
            operation_append(&run, operation);
            continue;
        }
        if (lowering->tiled && (shared & VALUE_BIT(operation->writes)))
            operation->also_writes |= shared & ~VALUE_BIT(operation->writes);
        issue_whole(program, lowering, pass, row, operation);
    }
    issue_tiles(issuer, program, lowering, pass, &run);
    program_retire(program, last);
}

static void issue_layer(const struct issuer* issuer, struct program* program,
                        const struct lowering* lowering, const struct pass* of_model,
                        uint32_t layer, bool last)
{
    struct pass_list list;
    const struct pass* pass = cache_pass(&lowering->placement->cache, of_model, layer);
    const uint32_t before = program_count(program);
    issue_list(issuer, program, lowering, pass, list_attention(lowering, pass, layer, &list),
               false);
    issue_list(issuer, program, lowering, pass, list_feed_forward(lowering, layer, &list), last);
    if (program_count(program) - before > program->most_in_a_layer)
        program->most_in_a_layer = program_count(program) - before;
    if (pass->shape.form.recomputes)
        program->recomputed[layer] = pass->recomputed[layer];
}

/* Issues the whole pass and submits it layer by layer. */
static void issue_pass(const struct issuer* issuer, struct program* program,
                       const struct lowering* lowering, const struct pass* pass)
{
    const uint32_t layers = program->layers.count;
    const bool with_logits = pass->shape.logit_rows != 0;
    struct pass_list list;
    issue_list(issuer, program, lowering, pass, list_begin(&list), false);
    program_push(program);
    for (uint32_t i = 0; i < layers; ++i) {
        issue_layer(issuer, program, lowering, pass, layer_at(&program->layers, i),
                    i + 1 == layers && !with_logits);
        program_push(program);
    }
    if (with_logits)
        issue_list(issuer, program, lowering, pass, list_end(lowering, &list), true);
}

/* Patches a descriptor if anything on which its fields depend has changed. */
static inline void apply(const struct patch* patch, const struct program* program,
                         const struct lowering* lowering, const struct pass* pass)
{
    const struct operation* operation = &patch->operation;
    if (!operation->extra_rows ||
        program->recomputed[operation->layer] != pass->recomputed[operation->layer])
        patch->patch(lowering, pass, operation, patch->descriptor);
}

/* Patches the program for the next pass of the same shape. */
static void refresh(struct program* program, const struct lowering* lowering,
                    const struct pass* pass)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct patch* const end = program->patches + program->patch_count;
    if (pass->local == NULL)
        for (const struct patch* patch = program->patches; patch != end; ++patch)
            apply(patch, program, lowering, pass);
    else
        for (const struct patch* patch = program->patches; patch != end; ++patch)
            apply(patch, program, lowering, cache_pass(cache, pass, patch->operation.layer));
    if (pass->shape.form.recomputes)
        memcpy(program->recomputed, pass->recomputed,
               lowering->model->header.layers * sizeof *program->recomputed);
}

void issue_start(const struct issuer* issuer, struct program* program,
                 const struct lowering* lowering, const struct pass* pass)
{
    program_begin(program);
    program->rolls = lowering->tiled;
    if (program->built && pass_same_shape(&program->shape, &pass->shape)) {
        refresh(program, lowering, pass);
    } else {
        program_clear(program);
        issue_pass(issuer, program, lowering, pass);
        program->shape = pass->shape;
        program->built = !program->rolls;
    }
    program_push(program);
}

/* Reserves space for an operation's descriptors on each unit that may execute a share of it. */
static void count_descriptors(const struct issuer* issuer, const struct row* row,
                              const struct operation* operation, uint32_t times,
                              struct program_capacity* capacity)
{
    const uint32_t with_fences = times * (1 + program_fences(issuer->units));
    if (row->partners != NULL) {
        for (uint32_t i = 0; i < row->partners->count; ++i) {
            const struct partner* partner = &row->partners->list[i];
            const struct unit_range* range = units_of(issuer->units, partner->unit);
            const uint32_t groups = row->partners->pieces != NULL ? range->count : 1;
            for (uint32_t unit = 0; unit < groups; ++unit)
                capacity->units[range->first + unit] += with_fences;
            capacity->patches += partner->patch != NULL ? times * groups : 0;
        }
        return;
    }
    if (times == 0)
        return;
    const struct unit_range* range = issuer->units->by_operation[operation->kind];
    const uint32_t sharing = row->split != NULL ? range->count : 1;
    for (uint32_t unit = 0; unit < sharing; ++unit)
        capacity->units[range->first + unit] += with_fences;
    if (row_patch(row, operation) != NULL)
        capacity->patches += times * sharing;
}

static uint32_t parts_needed(const struct row* row, const struct lowering* lowering,
                             const struct pass* pass, const struct operation* operation,
                             uint32_t parts)
{
    const uint32_t most = is_by_part(row, pass) ? parts : 1;
    uint32_t times = 0;
    for (uint32_t part = 0; part < most; ++part)
        times += is_needed(row, lowering, pass, operation, part);
    return times;
}

void issue_count(const struct issuer* issuer, const struct lowering* lowering,
                 const struct pass* pass, struct operation_list* list, uint32_t layer,
                 uint32_t parts, struct program_capacity* capacity)
{
    for (uint32_t i = 0; i < list->count; ++i) {
        struct operation* operation = &list->operations[i];
        const struct row* row = machine_row(issuer->machine, operation);
        operation->layer = layer;
        count_descriptors(issuer, row, operation,
                          parts_needed(row, lowering, pass, operation, parts), capacity);
    }
}

/* Counts the descriptors for one list of operations in each of the layers. */
static void count_layers(const struct issuer* issuer, const struct lowering* lowering,
                         const struct pass* pass, struct operation_list* list,
                         const struct layer_list* layers, struct program_capacity* capacity)
{
    const struct cache* cache = &lowering->placement->cache;
    for (uint32_t i = 0; i < list->count; ++i) {
        struct operation* operation = &list->operations[i];
        const struct row* row = machine_row(issuer->machine, operation);
        uint32_t times = layers->count;
        if (is_by_part(row, pass) || row->is_needed != NULL || row->left_out ||
            pass->local != NULL) {
            times = 0;
            for (uint32_t at = 0; at < layers->count; ++at) {
                const uint32_t layer = layer_at(layers, at);
                const struct pass* mine = cache_pass(cache, pass, layer);
                operation->layer = layer;
                times +=
                    parts_needed(row, lowering, mine, operation, cache_parts(cache, mine, layer));
            }
        }
        count_descriptors(issuer, row, operation, times, capacity);
    }
}

/* Returns the layer that has the most operations. */
static uint32_t longest_layer(const struct cache* cache)
{
    uint32_t layer = 0;
    while (cache->full_layers != 0 && cache->layers[layer].local)
        ++layer;
    return layer;
}

/* Counts the descriptors of the feed-forward networks. In a model with experts, layers without
 * experts have a different list of operations, so both lists are counted. */
static void count_feed_forward(const struct issuer* issuer, const struct lowering* lowering,
                               const struct pass* pass, const struct layer_list* layers,
                               struct program_capacity* capacity)
{
    const struct layer* all = lowering->model->layers;
    const uint32_t first = layer_at(layers, 0);
    uint32_t counts[2] = {0, 0}, other = first;
    for (uint32_t i = 0; i < layers->count; ++i) {
        const uint32_t layer = layer_at(layers, i);
        const bool alike = (all[layer].mixture == NULL) == (all[first].mixture == NULL);
        if (!alike && counts[1] == 0)
            other = layer;
        ++counts[!alike];
    }
    for (unsigned kind = 0; kind < 2 && counts[kind] != 0; ++kind) {
        struct pass_list feed_forward;
        (void)list_feed_forward(lowering, kind == 0 ? first : other, &feed_forward);
        count_layers(issuer, lowering, pass, &feed_forward.list,
                     &(struct layer_list){NULL, counts[kind]}, capacity);
    }
}

void issue_open_program(const struct issuer* issuer, struct program* program,
                        const struct lowering* lowering, const struct layer_list* layers,
                        const struct cache_forms* forms)
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t none = LEVEE_NO_LAYER;
    struct pass pass = {
        .shape = {.entries = cache->batch, .separate = lowering->separate, .form = forms->full}};
    struct pass local = pass;
    local.shape.form = forms->local;
    if (cache->policy->ring != 0)
        pass.local = &local;
    uint32_t counts[UNITS_MAX] = {0};
    struct program_capacity capacity = {.units = counts, .layers = lowering->model->header.layers};
    struct pass_list ends, attention;
    program->layers = *layers;
    issue_count(issuer, lowering, &pass, list_begin(&ends), none, 1, &capacity);
    issue_count(issuer, lowering, &pass, list_end(lowering, &ends), none, 1, &capacity);
    (void)list_attention(lowering, &pass, longest_layer(cache), &attention);
    count_layers(issuer, lowering, &pass, &attention.list, layers, &capacity);
    count_feed_forward(issuer, lowering, &pass, layers, &capacity);
    for (uint32_t unit = 0; lowering->tiled && unit < issuer->units->count; ++unit)
        counts[unit] += ROLLING_DESCRIPTORS;
    program_open(program, issuer->units, &capacity);
}
