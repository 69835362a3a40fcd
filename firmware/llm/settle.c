// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/settle.h"

struct writer {
    struct operation* list;
    size_t count;
    uint32_t layer;
};

static void put(struct writer* writer, uint8_t kind, enum value in, enum value out, uint32_t also)
{
    writer->list[writer->count++] = (struct operation){
        .kind = kind, .reads = {in}, .writes = out, .also_writes = also, .layer = writer->layer};
}

size_t settle_new_batch(const struct cache* cache, struct operation* list)
{
    struct writer writer = {list, 0, LEVEE_NO_LAYER};
    if (cache->redirect != 0)
        put(&writer, OPERATION_RESET_REDIRECT, VALUE_NONE, VALUE_SNAPSHOT, 0);
    if (!cache->policy->evicts)
        return writer.count;
    put(&writer, OPERATION_RESET_TABLES, VALUE_NONE, VALUE_TABLES, 0);
    put(&writer, OPERATION_RESET_NEXT, VALUE_NONE, VALUE_TABLES, 0);
    if (cache->x_rows == 0)
        return writer.count;
    put(&writer, OPERATION_RESET_HOLDERS, VALUE_NONE, VALUE_TABLES, 0);
    put(&writer, OPERATION_RESET_X_SCALES, VALUE_NONE, VALUE_X_ROWS, 0);
    return writer.count;
}

size_t settle_new_batch_layer(const struct cache* cache, uint32_t layer, struct operation* list)
{
    struct writer writer = {list, 0, layer};
    if (cache->x_rows != 0)
        put(&writer, OPERATION_RESET_X, VALUE_NONE, VALUE_X_ROWS, 0);
    return writer.count;
}

size_t settle_new_ring(const struct rings* rings, struct operation* list)
{
    struct writer writer = {list, 0, LEVEE_NO_LAYER};
    if (!rings_are_refreshed(rings))
        return 0;
    if (rings->vectors > 1)
        put(&writer, OPERATION_RESET_RING_VIEWS, VALUE_NONE, VALUE_TABLES, 0);
    put(&writer, OPERATION_RESET_RING, VALUE_NONE, VALUE_KEYS, VALUE_BIT(VALUE_VALUES));
    return writer.count;
}

size_t settle_new_prefill(const struct cache* cache, struct operation* list)
{
    struct writer writer = {list, 0, LEVEE_NO_LAYER};
    if (cache->policy->evicts)
        put(&writer, OPERATION_RESET_IMPORTANCE, VALUE_NONE, VALUE_IMPORTANCE, 0);
    return writer.count;
}

size_t settle_skipped(uint32_t layer, struct operation* list)
{
    struct writer writer = {list, 0, layer};
    put(&writer, OPERATION_FILL_VIEWS, VALUE_NONE, VALUE_TABLES, 0);
    put(&writer, OPERATION_FILL_KEYS, VALUE_NONE, VALUE_KEYS, 0);
    put(&writer, OPERATION_FILL_VALUES, VALUE_NONE, VALUE_VALUES, 0);
    return writer.count;
}

size_t settle_selection(const struct cache* cache, uint32_t layer, struct operation* list)
{
    struct writer writer = {list, 0, layer};
    const uint32_t tables = VALUE_BIT(VALUE_TABLES);
    put(&writer, OPERATION_SELECT, VALUE_IMPORTANCE, VALUE_GATHER, tables);
    if (cache->x_rows != 0)
        put(&writer, OPERATION_POPULAR, VALUE_GATHER, VALUE_GATHER, tables);
    put(&writer, OPERATION_GATHER_KEYS, VALUE_GATHER, VALUE_KEYS, 0);
    put(&writer, OPERATION_GATHER_KEY_SCALES, VALUE_GATHER, VALUE_KEYS, 0);
    put(&writer, OPERATION_GATHER_VALUES, VALUE_GATHER, VALUE_VALUES, 0);
    put(&writer, OPERATION_GATHER_VALUE_SCALES, VALUE_GATHER, VALUE_VALUES, 0);
    if (cache->x_rows != 0) {
        put(&writer, OPERATION_GATHER_X, VALUE_GATHER, VALUE_X_ROWS, 0);
        put(&writer, OPERATION_GATHER_X_SCALES, VALUE_GATHER, VALUE_X_ROWS, 0);
    }
    return writer.count;
}
