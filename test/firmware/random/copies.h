/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that a copy or a fill must leave, as all of its extents follow from the descriptor. */
#pragma once

#include "test/firmware/random/draw.h"

#include <stdbool.h>

/* Returns false if the destination's slot, after the operation, differs from what the DMA engine
 * must have written there. True for all other operations, and where this program cannot tell. */
bool copy_is_right(const struct drawn* drawn);
