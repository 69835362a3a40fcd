// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/policy.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "ip/systolic_evictor/regs.h"

#include <stddef.h>

/* Stored as its input a token takes dim elements; as keys and values, two vectors in each head
 * that holds it, of which there are more than half (Kelle, section 4.1.2). With grouped queries
 * there are too few KV heads for that to be less. */
static bool inputs_are_smaller(const struct levee_model_header* shape)
{
    const uint32_t held = shape->kv_heads / 2 + 1;
    return shape->kv_heads == shape->heads && 2 * shape->head_dim * held > shape->dim;
}

/* Rows that pass through the array while the next fold's weights come from their memory, less the
 * batch's own, for each entry. */
static uint32_t hidden_rows(const struct model* model, uint32_t batch)
{
    const struct levee_memory_info* weights = system_memory(LEVEE_ROLE_MODEL);
    const uint32_t bits = model->layers[0].qkv.type == LEVEE_TYPE_INT4 ? 4 : 8;
    const uint64_t fold_bytes = (uint64_t)rsa_pe_count() * bits / 8;
    const uint64_t cycles = fold_bytes * system_info()->core_hz / weights->bytes_per_second;
    const uint64_t rows = cycles / rsa_passes();
    return rows > batch ? (uint32_t)((rows - batch) / batch) : 0;
}

/* Their positions are reached with the function unit's 16-bit strides, and with all entries'
 * arriving tokens they are the rows of one product, which are 16 bits, too. */
static uint32_t most_x_rows(uint32_t batch)
{
    const uint32_t reached = UINT16_MAX / 4;
    const uint32_t of_product = UINT16_MAX / batch - 1;
    return reached < of_product ? reached : of_product;
}

static uint32_t x_rows(const struct policy* policy, const struct model* model, uint32_t batch,
                       uint32_t recompute)
{
    uint32_t rows = 0;
    if (recompute == LEVEE_KV_RECOMPUTE_ALL)
        rows = policy->slots;
    else if (recompute == LEVEE_KV_RECOMPUTE_HIDDEN)
        rows = hidden_rows(model, batch);
    if (rows > policy->slots)
        rows = policy->slots;
    const uint32_t most = most_x_rows(batch);
    return rows < most ? rows : most;
}

static void set_protection(struct policy* policy, const struct levee_kv_policy* kv)
{
    policy->sinks = (uint16_t)kv->sinks;
    policy->window = (uint16_t)kv->window;
    if (kv->kind == LEVEE_KV_STREAMING) {
        policy->window = (uint16_t)(kv->budget - kv->sinks);
    } else if (kv->kind == LEVEE_KV_H2O) {
        policy->sinks = 0;
        policy->window = (uint16_t)(kv->budget / 2);
    } else if (kv->kind == LEVEE_KV_RANDOM) {
        policy->flags = LEVEE_SE_RANDOM;
    }
    if (kv->recent_high)
        policy->flags |= LEVEE_SE_RECENT_HIGH;
}

void policy_open(struct policy* policy, const struct model* model, uint32_t batch, uint32_t context)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    *policy = (struct policy){.slots = context, .capacity = context};
    if (kv->kind == LEVEE_KV_FULL)
        return;
    if (kv->kind > LEVEE_KV_AERP || kv->budget == 0 || kv->budget >= UINT16_MAX)
        fatal(EXIT_REFUSED, "kv_cache: policy %lu with a budget of %lu tokens; expected 1 to %u",
              (unsigned long)kv->kind, (unsigned long)kv->budget, UINT16_MAX - 1);
    policy->evicts = true;
    policy->scores = kv->kind != LEVEE_KV_STREAMING && kv->kind != LEVEE_KV_RANDOM;
    policy->slots = kv->budget + 1;
    policy->capacity = kv->budget;
    policy->score = (uint8_t)kv->score;
    policy->view_bits = (uint8_t)kv->view_bits;
    policy->search_after = policy->scores && kv->search == LEVEE_KV_SEARCH_AFTER;
    if (policy->search_after && policy->score != LEVEE_SE_LOGIT)
        fatal(EXIT_REFUSED, "kv_cache.search is after; expected kv_cache.score: logit beside it: "
                            "only logits are in memory after attention");
    policy->seed = system_info()->workload.seed;
    set_protection(policy, kv);
    if (kv->kind == LEVEE_KV_AERP && kv->recompute != LEVEE_KV_RECOMPUTE_OFF) {
        policy->off_for_size = !inputs_are_smaller(&model->header);
        if (!policy->off_for_size)
            policy->x_rows = x_rows(policy, model, batch, kv->recompute);
    }
}
