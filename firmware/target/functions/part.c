// SPDX-License-Identifier: Apache-2.0
/* Functions of vectors on a function unit, which reads the vectors from memory and writes results
 * back. The unit reads and writes every format, so it also converts values between parts with
 * different formats. */
#include "firmware/target/functions/split.h"
#include "firmware/target/lower.h"
#include "firmware/target/systolic/rows.h"
#include "firmware/target/systolic/tiles.h"

#include <stddef.h>

/* Returns whether an operation runs separately on each part of the cache. With staging it does not,
 * because the staged vectors of all parts are stored together. */
static bool by_part_unless_staged(const struct pass* pass)
{
    return !pass->shape.form.staged;
}

static const struct part_row rows[] = {
    {OPERATION_EMBED, {.unit = &class_functions, .lower = lower_embed, .patch = patch_embed}},
    {OPERATION_NORM, {.unit = &class_functions, .lower = lower_norm}},
    {OPERATION_QUERY,
     {.unit = &class_functions,
      .lower = lower_query,
      .split = &split_vectors,
      .tiled = &tiled_query}},
    {OPERATION_STORE_KEY,
     {.unit = &class_functions,
      .lower = lower_store,
      .by_part = by_part_unless_staged,
      .split = &split_vectors}},
    {OPERATION_STORE_VALUE,
     {.unit = &class_functions,
      .lower = lower_store,
      .by_part = by_part_unless_staged,
      .split = &split_vectors}},
    {OPERATION_QUANTISE, {.unit = &class_functions, .lower = lower_quantise}},
    {OPERATION_ADD, {.unit = &class_functions, .lower = lower_add, .tiled = &tiled_add}},
    {OPERATION_ACTIVATE,
     {.unit = &class_functions,
      .lower = lower_activate,
      .reads_twice = true,
      .split = &split_elements,
      .tiled = &tiled_activate}},
    {OPERATION_ROUTE, {.unit = &class_functions, .lower = lower_route}},
    {OPERATION_COMBINE, {.unit = &class_functions, .lower = lower_combine}},
    {OPERATION_PICK, {.unit = &class_functions, .lower = lower_pick, .patch = patch_pick}},
};

const struct machine_part part_sfu_functions = {
    .name = "sfu",
    .roles = 1u << PART_FUNCTIONS,
    ROWS(rows),
};
