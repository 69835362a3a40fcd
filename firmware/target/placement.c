// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/placement.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"

#include <string.h>

uint32_t placement_width(const struct placement* placement, const struct pass* pass)
{
    return pass->shape.form.prefill ? placement->prefilled : placement->cache.policy->widest;
}

void placement_report(const struct placement* placement)
{
    static char names[LEVEE_MAX_MEMORIES][LEVEE_NAME_BYTES + sizeof ".placed_bytes"];
    const struct levee_boot_info* info = system_info();
    const struct cache* cache = &placement->cache;
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        uint64_t bytes = space_first_free(&placement->space, memory) - memory->base;
        if (memory->roles & LEVEE_ROLE_CODE)
            continue;
        bytes += 2 * cache_half_bytes(cache, memory);
        strcpy(names[i], memory->name);
        strcat(names[i], ".placed_bytes");
        hostlink_metric_u64(names[i], bytes);
    }
}
