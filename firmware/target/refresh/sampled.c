// SPDX-License-Identifier: Apache-2.0
/* Fills memory for the tokens that a sampled run skips. Only the simulator needs this
 * (session/sampled.h). */
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"
#include "firmware/target/refresh/refresh.h"
#include "firmware/target/slots/dma_copy.h"

#include <stddef.h>

/* Fills the slots of skipped tokens. */
static void lower_fill_vectors(const struct lowering* lowering, const struct pass* pass,
                               const struct operation* operation,
                               struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const uint32_t row = lower_vector_bytes(lowering);
    const uint64_t at = operation->kind == OPERATION_FILL_KEYS ? slices.keys : slices.values;
    struct levee_dma_operation* out =
        dma_fill(descriptor, false, at + (uint64_t)pass->fill_from * row,
                 (pass->fill_to - pass->fill_from) * row, 0);
    dma_count(out, slices.entries, slices.heads, 1);
    dma_stride(out->destination_stride, slices.stride[0], slices.stride[1], 0);
}

/* Fills the tokens' views in the register file: half of the slots get high scores. */
static void lower_fill_views(const struct lowering* lowering, const struct pass* pass,
                             const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    struct levee_dma_operation* out =
        dma_fill(descriptor, true, slices.views + pass->fill_from,
                 (pass->fill_to + 1) / 2 - (pass->fill_from + 1) / 2, LEVEE_SE_VIEW_HIGH);
    dma_count(out, slices.entries, slices.heads, 1);
    dma_stride(out->destination_stride, slices.views_stride[0], slices.views_stride[1], 0);
}

/* Returns whether the part has entries in the register file. */
static bool has_views(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part)
{
    return cache_slices(&lowering->placement->cache, pass, operation->layer, part).views != 0 &&
           pass->fill_to > pass->fill_from + 1;
}

static bool serves(const struct machine* machine, const struct policy* policy)
{
    (void)machine, (void)policy;
    return system_info()->workload.sample_steps != 0;
}

static bool is_used(const struct lowering* lowering)
{
    return lowering->placement->cache.refreshed != 0;
}

static const struct part_row rows[] = {
    {OPERATION_FILL_KEYS,
     {.unit = &class_dma,
      .lower = lower_fill_vectors,
      .by_part = lower_by_part,
      .is_needed = refresh_has_rows}},
    {OPERATION_FILL_VALUES,
     {.unit = &class_dma,
      .lower = lower_fill_vectors,
      .by_part = lower_by_part,
      .is_needed = refresh_has_rows}},
    {OPERATION_FILL_VIEWS,
     {.unit = &class_dma,
      .lower = lower_fill_views,
      .by_part = lower_by_part,
      .is_needed = has_views}},
};

const struct machine_part part_filling = {
    .name = "filling",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
    .is_used = is_used,
};
