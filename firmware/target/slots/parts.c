// SPDX-License-Identifier: Apache-2.0
/* The parts for copies and fills that a cache needs from a DMA engine: tables of slots, staged
 * keys and values, and stored inputs. */
#include "firmware/target/slots/lower.h"

#include <stddef.h>

static bool keeps_some(const struct machine* machine, const struct policy* policy)
{
    (void)machine;
    return policy->evicts || policy->banded;
}

static bool has_scales(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, uint32_t part)
{
    (void)pass, (void)operation, (void)part;
    return lowering->placement->cache.scaled;
}

/* Returns whether the part of the cache has entries in a register file, or may have. Programs are
 * sized for the largest case. */
static bool has_views(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part)
{
    const struct cache* cache = &lowering->placement->cache;
    return part >= cache_parts(cache, pass, operation->layer) ||
           cache_slices(cache, pass, operation->layer, part).views != 0;
}

static const struct part_row slot_rows[] = {
    {OPERATION_SNAPSHOT, {.unit = &class_dma, .lower = lower_snapshot}},
    {OPERATION_GATHER_KEYS,
     {.unit = &class_dma, .lower = lower_gather_vectors, .by_part = lower_by_part}},
    {OPERATION_GATHER_VALUES,
     {.unit = &class_dma, .lower = lower_gather_vectors, .by_part = lower_by_part}},
    {OPERATION_GATHER_KEY_SCALES,
     {.unit = &class_dma, .lower = lower_gather_scales, .is_needed = has_scales}},
    {OPERATION_GATHER_VALUE_SCALES,
     {.unit = &class_dma, .lower = lower_gather_scales, .is_needed = has_scales}},
    {OPERATION_RESET_TABLES, {.unit = &class_dma, .lower = lower_reset_tables}},
    {OPERATION_RESET_NEXT, {.unit = &class_dma, .lower = lower_reset_next}},
    {OPERATION_RESET_IMPORTANCE, {.unit = &class_dma, .lower = lower_reset_importance}},
    {OPERATION_MARK_LOCAL,
     {.unit = &class_dma,
      .lower = lower_mark_local,
      .by_part = lower_by_part,
      .is_needed = has_views}},
};

const struct machine_part part_slots = {
    .name = "slots",
    .roles = 1u << PART_CACHE,
    ROWS(slot_rows),
    .serves = keeps_some,
};

/* Returns whether redirection tables are needed. Staging and recomputed rows need them. */
static bool stages(const struct machine* machine, const struct policy* policy)
{
    return machine->staged || policy->input_rows != 0;
}

static bool is_staged(const struct lowering* lowering)
{
    return lowering->machine->staged || lowering->policy->input_rows != 0;
}

static const struct part_row staging_rows[] = {
    {OPERATION_STAGE_SLOTS, {.unit = &class_dma, .lower = lower_stage_slots}},
    {OPERATION_SKIP_STORED, {.unit = &class_dma, .lower = lower_skip_stored}},
    {OPERATION_REDIRECT, {.unit = &class_dma, .lower = lower_redirect}},
    {OPERATION_UNDIRECT, {.unit = &class_dma, .lower = lower_undirect}},
    {OPERATION_WRITE_BACK_KEY,
     {.unit = &class_dma, .lower = lower_write_back, .by_part = lower_by_part}},
    {OPERATION_WRITE_BACK_VALUE,
     {.unit = &class_dma, .lower = lower_write_back, .by_part = lower_by_part}},
    {OPERATION_RESET_REDIRECT, {.unit = &class_dma, .lower = lower_reset_redirect}},
};

const struct machine_part part_staging = {
    .name = "staging",
    .roles = 1u << PART_CACHE,
    ROWS(staging_rows),
    .serves = stages,
    .is_used = is_staged,
};

static bool stores_inputs(const struct machine* machine, const struct policy* policy)
{
    (void)machine;
    return policy->input_rows != 0;
}

static const struct part_row input_rows[] = {
    {OPERATION_STORE_INPUT, {.unit = &class_dma, .lower = lower_store_input}},
    {OPERATION_STORE_INPUT_SCALE, {.unit = &class_dma, .lower = lower_store_input}},
    {OPERATION_FETCH_INPUTS,
     {.unit = &class_dma, .lower = lower_fetch_inputs, .patch_recomputed = patch_fetch_inputs}},
    {OPERATION_FETCH_INPUT_SCALES,
     {.unit = &class_dma, .lower = lower_fetch_inputs, .patch_recomputed = patch_fetch_inputs}},
    {OPERATION_READ_INPUTS,
     {.unit = &class_array, .lower = lower_read_inputs, .patch_recomputed = patch_read_inputs}},
    {OPERATION_RECOMPUTE_KEY,
     {.unit = &class_functions, .lower = lower_recompute, .patch_recomputed = patch_recompute}},
    {OPERATION_RECOMPUTE_VALUE,
     {.unit = &class_functions, .lower = lower_recompute, .patch_recomputed = patch_recompute}},
    {OPERATION_POPULAR, {.unit = &class_evictor, .lower = lower_popular}},
    {OPERATION_GATHER_INPUTS, {.unit = &class_dma, .lower = lower_gather_inputs}},
    {OPERATION_GATHER_INPUT_SCALES, {.unit = &class_dma, .lower = lower_gather_inputs}},
    {OPERATION_RESET_HOLDERS, {.unit = &class_dma, .lower = lower_reset_holders}},
    {OPERATION_RESET_INPUTS, {.unit = &class_dma, .lower = lower_reset_inputs}},
    {OPERATION_RESET_INPUT_SCALES, {.unit = &class_dma, .lower = lower_reset_input_scales}},
};

const struct machine_part part_stored_inputs = {
    .name = "stored_inputs",
    .roles = 1u << PART_CACHE,
    ROWS(input_rows),
    .serves = stores_inputs,
};
