// SPDX-License-Identifier: Apache-2.0
/* Properties of a memory that stores keys and values. The target, which knows its components, fills
 * in this structure; the cache only reads it. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdbool.h>
#include <stdint.h>

struct store {
    const struct levee_memory_info* memory;
    bool refreshed;      /* loses data without refresh */
    uint64_t values;     /* offset of the half for values; 0: not divided */
    uint64_t views;      /* offset of the register file that sets the refresh of each slot */
    uint32_t view_count; /* number of entries of this register file; 0: none */
};

/* Describes `memory`, which may be NULL. */
typedef void store_describe(const struct levee_memory_info* memory, struct store* store);
