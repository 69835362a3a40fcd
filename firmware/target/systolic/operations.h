// SPDX-License-Identifier: Apache-2.0
/* What this machine does beyond the transformer's and the cache's operations. */
#pragma once

#include "firmware/cache/operations.h"

enum systolic_operation {
    OPERATION_RESET_RING = CACHE_OPERATIONS, /* refreshed memory: valid, as what passes through */
    OPERATION_RESET_RING_VIEWS
};
