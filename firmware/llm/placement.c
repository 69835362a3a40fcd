#include "firmware/llm/placement.h"

#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"

#include <stddef.h>
#include <string.h>

/* Tokens prefilled at once. */
#define LARGEST_CHUNK 64u
#define SMALLEST_CHUNK 16u
#define LARGEST_SPILLED_CHUNK 512u

/* The prefill's own cache is made of so many. */
#define PREFILL_STEP 512u

struct extent {
    uint64_t data, scale; /* bytes */
};

/* How large things are. */
struct sizes {
    const struct model* model;
    const struct policy* policy;
    const struct placement_request* request;
    uint32_t chunk;
    uint32_t prefilled;
};

static const char* const names[VALUE_COUNT] = {
    [VALUE_X] = "x",
    [VALUE_NORMED] = "normed",
    [VALUE_QKV] = "qkv",
    [VALUE_QUERY] = "query",
    [VALUE_SCORES] = "scores",
    [VALUE_PROBABILITIES] = "probabilities",
    [VALUE_MIXED] = "mixed",
    [VALUE_ATTENDED] = "attended",
    [VALUE_PROJECTED] = "projected",
    [VALUE_EXPANDED] = "expanded",
    [VALUE_ACTIVATED] = "activated",
    [VALUE_LOGITS] = "logits",
    [VALUE_RAW_QUERY] = "raw query",
    [VALUE_RAW_KEYS] = "raw keys",
    [VALUE_RAW_VALUES] = "raw values",
    [VALUE_NEW_KEYS] = "new keys",
    [VALUE_NEW_VALUES] = "new values",
};

/* Activations in the order in which they deserve to be on chip. */
static const enum value activations[] = {
    VALUE_X,        VALUE_NORMED,     VALUE_QUERY,    VALUE_QKV,        VALUE_RAW_QUERY,
    VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_NEW_KEYS, VALUE_NEW_VALUES, VALUE_PROJECTED,
    VALUE_MIXED,    VALUE_ATTENDED,   VALUE_EXPANDED, VALUE_ACTIVATED,  VALUE_PROBABILITIES,
    VALUE_SCORES,   VALUE_LOGITS,
};
#define ACTIVATIONS (sizeof activations / sizeof *activations)

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t tokens_of(const struct sizes* sizes)
{
    return larger(sizes->request->batch, sizes->chunk);
}

/* Rows that keys and values are computed for at once. */
static uint64_t with_recalled(const struct sizes* sizes)
{
    return larger(sizes->chunk, (uint64_t)sizes->request->batch * (1 + sizes->policy->x_rows));
}

/* Elements of a head's rows of scores. */
static uint64_t scores_of(const struct sizes* sizes)
{
    const struct placement_request* request = sizes->request;
    if (!sizes->policy->evicts)
        return tokens_of(sizes) * request->context;
    return larger((uint64_t)request->batch * sizes->policy->slots,
                  (uint64_t)sizes->chunk * sizes->prefilled);
}

static struct extent extent_of_own_products(const struct sizes* sizes, enum value value)
{
    const struct levee_model_header* shape = &sizes->model->header;
    const uint64_t kv = (uint64_t)shape->kv_heads * shape->head_dim;
    const uint64_t beside = (uint64_t)sizes->request->batch * (1 + sizes->policy->x_rows) * 2 * kv;
    switch (value) {
    case VALUE_RAW_QUERY:
        return (struct extent){4 * tokens_of(sizes) * shape->heads * shape->head_dim, 0};
    case VALUE_RAW_KEYS:
    case VALUE_RAW_VALUES:
        return (struct extent){4 * with_recalled(sizes) * kv, 0};
    default:
        return (struct extent){sizes->request->held || sizes->policy->x_rows != 0 ? beside : 0, 0};
    }
}

/* Bytes of an activation. */
static struct extent extent_of(const struct sizes* sizes, enum value value)
{
    const struct levee_model_header* shape = &sizes->model->header;
    const uint64_t tokens = tokens_of(sizes);
    const uint64_t heads = tokens * shape->heads;
    switch (value) {
    case VALUE_X:
    case VALUE_PROJECTED:
        return (struct extent){4 * tokens * shape->dim, 0};
    case VALUE_NORMED:
        return (struct extent){2 * with_recalled(sizes) * shape->dim, 4 * with_recalled(sizes)};
    case VALUE_QUERY:
        return (struct extent){2 * heads * shape->head_dim, 4 * heads};
    case VALUE_SCORES:
        return (struct extent){4 * shape->heads * scores_of(sizes), 0};
    case VALUE_PROBABILITIES:
        return (struct extent){2 * shape->heads * scores_of(sizes), 4 * heads};
    case VALUE_MIXED:
        return (struct extent){4 * heads * shape->head_dim, 0};
    case VALUE_ATTENDED:
        return (struct extent){2 * heads * shape->head_dim, 4 * tokens};
    case VALUE_EXPANDED:
        return (struct extent){4 * tokens * sizes->model->layers[0].up.rows, 0};
    case VALUE_ACTIVATED:
        return (struct extent){2 * tokens * shape->hidden, 4 * tokens};
    case VALUE_LOGITS:
        return (struct extent){
            4 * (sizes->request->all_logits ? tokens : sizes->request->batch) * shape->vocab, 0};
    case VALUE_QKV:
        return (struct extent){
            sizes->request->separate ? 0 : 4 * tokens * sizes->model->layers[0].qkv.rows, 0};
    default:
        return sizes->request->separate ? extent_of_own_products(sizes, value)
                                        : (struct extent){0, 0};
    }
}

/* Bytes all activations take. */
static uint64_t activation_bytes(const struct sizes* sizes)
{
    uint64_t total = 0;
    for (size_t i = 0; i < ACTIVATIONS; ++i) {
        const struct extent bytes = extent_of(sizes, activations[i]);
        total += space_rounded(bytes.data) + space_rounded(bytes.scale);
    }
    return total;
}

/* The most of `largest`, half of it, ... `SMALLEST_CHUNK` whose activations take no more than
 * `room`; 0: none. */
static uint32_t largest_chunk(struct sizes sizes, uint32_t largest, uint64_t room)
{
    for (sizes.chunk = largest; sizes.chunk >= SMALLEST_CHUNK; sizes.chunk /= 2)
        if (activation_bytes(&sizes) <= room)
            return sizes.chunk;
    return 0;
}

static uint32_t choose_chunk(const struct placement* placement, const struct sizes* sizes)
{
    const struct space* space = &placement->space;
    const uint64_t on_chip = space_room(space, system_memory(LEVEE_ROLE_ACTIVATIONS));
    const uint64_t spilled = space_room(space, system_memory(LEVEE_ROLE_SPILL));
    uint32_t chunk = largest_chunk(*sizes, LARGEST_CHUNK, on_chip);
    if (chunk == 0)
        chunk = largest_chunk(*sizes, LARGEST_SPILLED_CHUNK, spilled);
    return chunk != 0 ? chunk : SMALLEST_CHUNK;
}

/* As whole steps, but no more than `most`. */
static uint32_t rounded_up(uint32_t tokens, uint32_t most)
{
    const uint32_t steps = tokens == 0 ? 1 : (tokens - 1) / PREFILL_STEP + 1;
    return steps < most / PREFILL_STEP ? steps * PREFILL_STEP : most;
}

static void place_activation(struct placement* placement, const struct sizes* sizes,
                             enum value value)
{
    const struct extent bytes = extent_of(sizes, value);
    const uint64_t total = space_rounded(bytes.data) + space_rounded(bytes.scale);
    if (total == 0)
        return;
    const struct levee_memory_info* memory = space_find(&placement->space, LEVEE_ROLE_ACTIVATIONS,
                                                        LEVEE_ROLE_SPILL, total, names[value]);
    placement->values[value].data = space_take(&placement->space, memory, bytes.data);
    placement->values[value].scale =
        bytes.scale != 0 ? space_take(&placement->space, memory, bytes.scale) : 0;
}

void placement_open(struct placement* placement, const struct model* model,
                    const struct policy* policy, const struct placement_request* request)
{
    const uint32_t prefilled = rounded_up(request->prefill, request->context);
    struct sizes sizes = {model, policy, request, request->chunk, prefilled};
    placement->prefilled = prefilled;
    placement->batch = request->batch;
    placement->context = request->context;
    space_open(&placement->space);
    rings_reserve(&placement->space);
    cache_open(&placement->cache, model, policy, &placement->space, request->batch, prefilled,
               request->held);
    if (sizes.chunk == 0)
        sizes.chunk = choose_chunk(placement, &sizes);
    if (sizes.chunk > prefilled)
        sizes.chunk = prefilled;
    placement->chunk = sizes.chunk;
    for (size_t i = 0; i < ACTIVATIONS; ++i)
        place_activation(placement, &sizes, activations[i]);
    rings_place(&placement->rings, &placement->space, &placement->cache);
}

uint32_t placement_width(const struct placement* placement, const struct pass* pass)
{
    return pass->form.prefill ? placement->prefilled : placement->cache.slots;
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
        if (memory == system_memory(LEVEE_ROLE_KV) && cache->edram.values != 0)
            bytes += 2 * cache->edram_used;
        strcpy(names[i], memory->name);
        strcat(names[i], ".placed_bytes");
        hostlink_metric_u64(names[i], bytes);
    }
    rings_report(&placement->rings);
}
