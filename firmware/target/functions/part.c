// SPDX-License-Identifier: Apache-2.0
/* Functions of vectors, on a function unit that takes them from memory and returns them there.
 * It reads and writes every format, so a function between two parts of unlike formats converts. */
#include "firmware/target/functions/split.h"
#include "firmware/target/lower.h"
#include "firmware/target/systolic/rows.h"
#include "firmware/target/systolic/tiles.h"

#include <stddef.h>

/* Staged vectors of all parts lie in one place. */
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
