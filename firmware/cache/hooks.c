// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/hooks.h"

#include "firmware/cache/operations.h"

_Static_assert(CACHE_VALUES <= 32, "VALUE_BIT has a bit for each value");

void cache_put(const struct cache_step* step, struct operation_list* list,
               struct operation operation)
{
    operation.layer = step->layer;
    operation_append(list, &operation);
}

void cache_put_all(const struct cache_step* step, struct operation_list* list, const uint8_t* kinds,
                   uint32_t count, struct operation operation)
{
    for (uint32_t i = 0; i < count; ++i) {
        operation.kind = kinds[i];
        cache_put(step, list, operation);
    }
}

void cache_read_staged(struct operation* operation)
{
    if (operation->kind == OPERATION_SCORES)
        operation->also_reads |= VALUE_BIT(VALUE_STAGED_KEYS) | VALUE_BIT(VALUE_SNAPSHOT);
    if (operation->kind == OPERATION_MIX)
        operation->also_reads |= VALUE_BIT(VALUE_STAGED_VALUES) | VALUE_BIT(VALUE_SNAPSHOT);
}
