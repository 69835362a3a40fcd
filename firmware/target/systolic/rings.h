// SPDX-License-Identifier: Apache-2.0
/* Rings on chip, through which operands from another memory pass on their way to the array
 * (ip/rsa/regs.h). The ring for weights is in the memory with the role weights_ring, and the ring
 * for keys and values in the memory with the role kv_ring. If no memory has the role, there is no
 * ring.
 *
 * Before anything else is placed, a quarter of the memory is reserved for each ring. Operands of a
 * tiled prefill may take half of that. In the end the rings divide the rest of the memory evenly.
 *
 * In an eDRAM that is divided into keys and values, only `kv_cache.staging` bytes are reserved. The
 * ring uses the rest of both halves after resident slices. Its data are divided between the halves
 * so that all banks take part. If only half of the banks did, they would have no time left for
 * refresh. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/hal/space.h"
#include "firmware/target/common.h"
#include "firmware/target/part.h"

/* Places the rings in the memory that is left when everything else has been placed. */
void rings_place(struct rings* rings, const struct space* space, const struct cache* cache);

/* The part that adds rings to machines with systolic arrays. */
extern const struct machine_part part_rings;
