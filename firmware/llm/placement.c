#include "firmware/llm/placement.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

#define LARGEST_CHUNK 64u
#define SMALLEST_CHUNK 16u
#define ALIGNMENT 64u

struct extent {
    uint64_t data, scale; /* bytes */
};

static const char* const names[VALUE_COUNT] = {
    [VALUE_X] = "x",
    [VALUE_NORMED] = "normed",
    [VALUE_QKV] = "qkv",
    [VALUE_QUERY] = "query",
    [VALUE_KEYS] = "keys",
    [VALUE_VALUES] = "values",
    [VALUE_SCORES] = "scores",
    [VALUE_PROBABILITIES] = "probabilities",
    [VALUE_MIXED] = "mixed",
    [VALUE_ATTENDED] = "attended",
    [VALUE_PROJECTED] = "projected",
    [VALUE_EXPANDED] = "expanded",
    [VALUE_ACTIVATED] = "activated",
    [VALUE_LOGITS] = "logits",
};

/* Activations in the order in which they deserve to be on chip. */
static const enum value activations[] = {
    VALUE_X,         VALUE_NORMED,        VALUE_QUERY,    VALUE_QKV,
    VALUE_PROJECTED, VALUE_MIXED,         VALUE_ATTENDED, VALUE_EXPANDED,
    VALUE_ACTIVATED, VALUE_PROBABILITIES, VALUE_SCORES,   VALUE_LOGITS,
};
#define ACTIVATIONS (sizeof activations / sizeof *activations)

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static unsigned index_of(const struct levee_memory_info* memory)
{
    return (unsigned)(memory - system_info()->memories);
}

static uint64_t room(const struct placement* placement, const struct levee_memory_info* memory)
{
    if (memory == NULL)
        return 0;
    return memory->base + memory->size - placement->next_free[index_of(memory)];
}

/* Takes `bytes` from `memory`; the caller has seen that there is room. */
static uint64_t take(struct placement* placement, const struct levee_memory_info* memory,
                     uint64_t bytes)
{
    uint64_t* next = &placement->next_free[index_of(memory)];
    const uint64_t address = *next;
    *next += rounded(bytes);
    return address;
}

static _Noreturn void refuse(struct placement* placement, enum value value,
                             const struct levee_memory_info* memory, const char* role,
                             uint64_t bytes)
{
    if (memory == NULL)
        fatal(EXIT_REFUSED, "%s need a memory with the role %s; there is none", names[value], role);
    fatal(EXIT_REFUSED,
          "%s need %lu KiB; memory %s has %lu KiB left: "
          "a shorter context, a smaller batch or a larger memory is needed",
          names[value], (unsigned long)((bytes + 1023) >> 10), memory->name,
          (unsigned long)(room(placement, memory) >> 10));
}

/* Bytes of an activation for `tokens` tokens, `logits` of which have logits. */
static struct extent extent_of(const struct model* model, enum value value, uint64_t tokens,
                               uint64_t logits, uint32_t context)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t heads = tokens * shape->heads;
    switch (value) {
    case VALUE_X:
    case VALUE_PROJECTED:
        return (struct extent){4 * tokens * shape->dim, 0};
    case VALUE_NORMED:
        return (struct extent){2 * tokens * shape->dim, 4 * tokens};
    case VALUE_QKV:
        return (struct extent){4 * tokens * model->layers[0].qkv.rows, 0};
    case VALUE_QUERY:
        return (struct extent){2 * heads * shape->head_dim, 4 * heads};
    case VALUE_SCORES:
        return (struct extent){4 * heads * context, 0};
    case VALUE_PROBABILITIES:
        return (struct extent){2 * heads * context, 4 * heads};
    case VALUE_MIXED:
        return (struct extent){4 * heads * shape->head_dim, 0};
    case VALUE_ATTENDED:
        return (struct extent){2 * heads * shape->head_dim, 4 * tokens};
    case VALUE_EXPANDED:
        return (struct extent){4 * tokens * model->layers[0].up.rows, 0};
    case VALUE_ACTIVATED:
        return (struct extent){2 * tokens * shape->hidden, 4 * tokens};
    case VALUE_LOGITS:
        return (struct extent){4 * logits * shape->vocab, 0};
    default:
        return (struct extent){0, 0};
    }
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Bytes all activations take with `chunk` tokens of prefill at once. */
static uint64_t activation_bytes(const struct placement* placement, const struct model* model,
                                 uint32_t chunk, int all_logits)
{
    const uint64_t tokens = larger(placement->batch, chunk);
    uint64_t total = 0;
    for (size_t i = 0; i < ACTIVATIONS; ++i) {
        struct extent bytes = extent_of(model, activations[i], tokens,
                                        all_logits ? tokens : placement->batch, placement->context);
        total += rounded(bytes.data) + rounded(bytes.scale);
    }
    return total;
}

static uint32_t choose_chunk(const struct placement* placement, const struct model* model,
                             int all_logits)
{
    const uint64_t on_chip = room(placement, system_memory(LEVEE_ROLE_ACTIVATIONS));
    uint32_t chunk = LARGEST_CHUNK;
    while (chunk > SMALLEST_CHUNK &&
           activation_bytes(placement, model, chunk, all_logits) > on_chip)
        chunk /= 2;
    return chunk;
}

static void place_activation(struct placement* placement, const struct model* model,
                             enum value value, int all_logits)
{
    const uint32_t tokens = larger(placement->batch, placement->chunk);
    const struct extent bytes =
        extent_of(model, value, tokens, all_logits ? tokens : placement->batch, placement->context);
    const uint64_t total = rounded(bytes.data) + rounded(bytes.scale);
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    if (room(placement, memory) < total)
        memory = system_memory(LEVEE_ROLE_SPILL);
    if (room(placement, memory) < total)
        refuse(placement, value, memory, "activations or spill", total);
    placement->values[value].data = take(placement, memory, bytes.data);
    placement->values[value].scale = bytes.scale != 0 ? take(placement, memory, bytes.scale) : 0;
}

static void place_cache(struct placement* placement, const struct model* model, enum value value)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t vectors =
        (uint64_t)shape->layers * placement->batch * shape->kv_heads * placement->context;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_KV);
    const uint64_t total = rounded(2 * vectors * shape->head_dim) + rounded(4 * vectors);
    if (room(placement, memory) < total)
        refuse(placement, value, memory, "kv", total);
    placement->values[value].data = take(placement, memory, 2 * vectors * shape->head_dim);
    placement->values[value].scale = take(placement, memory, 4 * vectors);
}

static void open_memories(struct placement* placement)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        if ((memory->roles & LEVEE_ROLE_CODE) &&
            (memory->roles & (LEVEE_ROLE_KV | LEVEE_ROLE_ACTIVATIONS | LEVEE_ROLE_SPILL)))
            fatal(EXIT_REFUSED, "memory %s holds code and its heap: it can have no other role",
                  memory->name);
        placement->next_free[i] = memory->free_base;
    }
}

void placement_open(struct placement* placement, const struct model* model, uint32_t batch,
                    uint32_t context, uint32_t chunk, int all_logits)
{
    placement->batch = batch;
    placement->context = context;
    open_memories(placement);
    place_cache(placement, model, VALUE_KEYS);
    place_cache(placement, model, VALUE_VALUES);
    if (chunk == 0)
        chunk = choose_chunk(placement, model, all_logits);
    placement->chunk = chunk < context ? chunk : context;
    for (size_t i = 0; i < ACTIVATIONS; ++i)
        place_activation(placement, model, activations[i], all_logits);
}

struct operand placement_cache(const struct placement* placement, const struct model* model,
                               enum value value, uint32_t layer, uint32_t entry)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t first =
        ((uint64_t)layer * placement->batch + entry) * shape->kv_heads * placement->context;
    const struct operand* cache = &placement->values[value];
    return (struct operand){cache->data + 2 * first * shape->head_dim, cache->scale + 4 * first};
}
