// SPDX-License-Identifier: Apache-2.0
#include "firmware/cache/policy.h"

#include "firmware/cache/kelle/inputs.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

/* How a kind of policy differs from the scenario's plain parameters. */
struct kind {
    bool scores, random, stores_inputs, votes;
    void (*protect)(struct policy* policy, const struct levee_kv_policy* kv); /* NULL: as stated */
};

/* StreamingLLM keeps the most recent of all that are no sinks. */
static void protect_recent(struct policy* policy, const struct levee_kv_policy* kv)
{
    policy->window = (uint16_t)(kv->budget - kv->sinks);
}

/* H2O has no sinks, and half of its budget is recent. */
static void protect_half(struct policy* policy, const struct levee_kv_policy* kv)
{
    policy->sinks = 0;
    policy->window = (uint16_t)(kv->budget / 2);
}

static const struct kind kinds[] = {
    [LEVEE_KV_STREAMING] = {.protect = protect_recent},
    [LEVEE_KV_H2O] = {.scores = true, .protect = protect_half},
    [LEVEE_KV_RANDOM] = {.random = true},
    [LEVEE_KV_AEP] = {.scores = true},
    [LEVEE_KV_AERP] = {.scores = true, .stores_inputs = true},
    [LEVEE_KV_VOTING] = {.scores = true, .votes = true},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void check(const struct levee_kv_policy* kv)
{
    if (kv->kind >= KINDS || kv->budget == 0 || kv->budget >= UINT16_MAX)
        fatal(EXIT_REFUSED, "kv_cache: policy %lu with a budget of %lu tokens; expected 1 to %u",
              (unsigned long)kv->kind, (unsigned long)kv->budget, UINT16_MAX - 1);
    if (kinds[kv->kind].votes && kv->score != LEVEE_KV_SCORE_SOFTMAX)
        fatal(EXIT_REFUSED,
              "kv_cache.policy is voting; expected kv_cache.score: softmax beside it: "
              "tokens vote by probabilities");
    if (kinds[kv->kind].scores && kv->search == LEVEE_KV_SEARCH_AFTER &&
        kv->score != LEVEE_KV_SCORE_LOGIT)
        fatal(EXIT_REFUSED, "kv_cache.search is after; expected kv_cache.score: logit beside it: "
                            "only logits are in memory after attention");
}

void policy_open(struct policy* policy, const struct model* model, uint32_t context,
                 const struct recompute_room* room)
{
    const struct levee_kv_policy* kv = &system_info()->kv;
    *policy = (struct policy){.slots = context, .capacity = context};
    policy->compresses = kv->kind == LEVEE_KV_CPQ;
    if (kv->kind == LEVEE_KV_RETRIEVAL || policy->compresses)
        policy->retrieval = system_info()->retrieval;
    if (kv->kind == LEVEE_KV_FULL || kv->kind == LEVEE_KV_RETRIEVAL || policy->compresses)
        return;
    check(kv);
    const struct kind* kind = &kinds[kv->kind];
    *policy = (struct policy){
        .evicts = true,
        .scores = kind->scores,
        .votes = kind->votes,
        .random = kind->random,
        .redraws = kind->random && system_info()->random.draw == LEVEE_KV_DRAW_VICTIM,
        .recent_high = kv->recent_high != 0,
        .search_after = kind->scores && kv->search == LEVEE_KV_SEARCH_AFTER,
        .slots = kv->budget + 1,
        .capacity = kv->budget,
        .sinks = (uint16_t)kv->sinks,
        .window = (uint16_t)kv->window,
        .score = (uint8_t)kv->score,
        .voting = system_info()->voting,
        .view_bits = (uint8_t)kv->view_bits,
        .seed = system_info()->workload.seed,
    };
    if (kind->protect != NULL)
        kind->protect(policy, kv);
    if (kind->stores_inputs)
        inputs_choose_rows(policy, &model->header, room);
}
