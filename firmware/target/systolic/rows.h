// SPDX-License-Identifier: Apache-2.0
/* Products of a tiled prefill that need not process all tokens of a pass at once, or that
 * include the following operation (docs/hand_calculations.md, "Bytes of a long prefill"):
 *
 *  ACTIVATE, LINEAR   if ACTIVATED of a whole chunk does not fit on chip, the products process
 *                     as many tokens at a time as fit. Each part then reads the weights again,
 *                     but folds need not read the vectors again
 *  LINEAR, ADD        if the residual stream is in the spill memory and there is no bias, the
 *                     array adds its results to the stream, and needs no PROJECTED
 *
 * Both give the same bits as whole operations: a row of a product is independent of other rows,
 * and the sum of two numbers is independent of their order. */
#pragma once

#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

/* Implements the function `activated` of tiling_rules. */
uint32_t rows_activated(const struct tiling_request* request, uint64_t bytes);

/* Returns whether the array adds its results to the residual stream. */
bool rows_add(const struct model* model, const struct placement* placement);

extern const struct tiled tiled_linear, tiled_activate, tiled_add;
