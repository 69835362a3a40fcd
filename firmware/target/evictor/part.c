// SPDX-License-Identifier: Apache-2.0
/* The operations of an evictor, for a cache that keeps tokens by importance. */
#include "firmware/target/lower.h"
#include "firmware/target/refresh/refresh.h"
#include "firmware/target/systolic/tiles.h"

#include <stddef.h>

static bool serves(const struct machine* machine, const struct policy* policy)
{
    (void)machine;
    return policy_weighs(policy);
}

static const struct part_row rows[] = {
    {OPERATION_EVICT,
     {.unit = &class_evictor,
      .lower = lower_evict,
      .by_part = lower_by_part,
      .patch = patch_scores_length}},
    {OPERATION_ACCUMULATE,
     {.unit = &class_evictor,
      .lower = lower_accumulate,
      .patch = patch_scores_length,
      .tiled = &tiled_accumulate}},
    {OPERATION_INVALIDATE,
     {.unit = &class_evictor,
      .lower = lower_invalidate,
      .by_part = lower_by_part,
      .is_needed = refresh_has_rows}},
    {OPERATION_SELECT, {.unit = &class_evictor, .lower = lower_select, .by_part = lower_by_part}},
};

const struct machine_part part_evictor = {
    .name = "evictor",
    .roles = 1u << PART_CACHE,
    ROWS(rows),
    .serves = serves,
};
