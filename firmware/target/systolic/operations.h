// SPDX-License-Identifier: Apache-2.0
/* What this machine does beyond the transformer's and the cache's operations. */
#pragma once

#include "firmware/cache/operations.h"

enum systolic_operation {
    OPERATION_RESET_RING = CACHE_OPERATIONS, /* refreshed memory: valid, as what passes through */
    OPERATION_RESET_RING_VIEWS,
    OPERATION_SETTLE,  /* tiles.h: what all tiles of some queries have given, to where it belongs */
    OPERATION_RESCORE, /* scores once more, to the function unit */
    OPERATION_WEIGH    /* the probabilities they are, to whom they make tokens important */
};
