// SPDX-License-Identifier: Apache-2.0
/* Products of a tiled prefill that need not take all tokens of a pass at once, or need no
 * following operation (docs/hand_calculations.md, "Bytes of a long prefill"):
 *
 *   ACTIVATE, LINEAR   where ACTIVATED of a whole chunk does not fit on chip, some tokens after the
 *                      others, as many as fit: weights are read again for each part, and not
 *                      vectors for each fold
 *   LINEAR, ADD        where the residual stream is in the spill memory and there is no bias, the
 *                      array adds its results to it, and nothing is projected to be added later
 *
 * Either gives the bits of whole operations: a row of a product depends on no other, and the sum
 * of two numbers on no order. */
#pragma once

#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

/* tiling_rules.activated. */
uint32_t rows_activated(const struct tiling_request* request, uint64_t bytes);

/* Whether the array adds to the residual stream. */
bool rows_add(const struct model* model, const struct placement* placement);

extern const struct tiled tiled_linear, tiled_activate, tiled_add;
