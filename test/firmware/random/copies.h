/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the bytes that a copy or a fill must produce. All of its extents follow from the
 * descriptor. */
#pragma once

#include "test/firmware/random/draw.h"

#include <stdbool.h>

/* Returns false if the destination's slot differs after the operation from what the DMA engine
 * must have written. Returns true for all other operations, and if this program cannot tell. */
bool copy_is_right(const struct drawn* drawn);
