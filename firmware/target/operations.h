// SPDX-License-Identifier: Apache-2.0
/* Operations that parts of machines add to those of the transformer and of the cache. */
#pragma once

#include "firmware/cache/operations.h"

enum part_operation {
    OPERATION_RESET_RING =
        CACHE_OPERATIONS, /* marks refreshed rows of a ring as valid before data pass through it */
    OPERATION_RESET_RING_VIEWS,
    OPERATION_SETTLE,  /* systolic/tiles.h: copies the results of all tiles of some queries to
                        * their place */
    OPERATION_RESCORE, /* SCORES once more, for the function unit */
    OPERATION_WEIGH,   /* computes the probabilities of RESCORE's results, and sends them to the
                        * unit that weighs tokens */
    PART_OPERATIONS
};
