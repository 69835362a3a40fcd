// SPDX-License-Identifier: Apache-2.0
/* Operations that parts of machines add to the transformer's and the cache's. */
#pragma once

#include "firmware/cache/operations.h"

enum part_operation {
    OPERATION_RESET_RING =
        CACHE_OPERATIONS, /* marks refreshed memory as valid while data pass through it */
    OPERATION_RESET_RING_VIEWS,
    OPERATION_SETTLE,  /* systolic/tiles.h: moves the results of all tiles of some queries to
                        * their place */
    OPERATION_RESCORE, /* scores once more, to the function unit */
    OPERATION_WEIGH,   /* the probabilities they are, to whom they make tokens important */
    PART_OPERATIONS
};
