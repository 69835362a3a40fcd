// SPDX-License-Identifier: Apache-2.0
#include "firmware/policies/conflicts.h"

#include <stddef.h>

static bool scores_logits(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return rule->scores && info->kv.score == LEVEE_KV_SCORE_LOGIT;
}

static bool votes_by_logits(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return rule->votes && scores_logits(rule, info);
}

static bool votes_after(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return rule->votes && info->kv.search == LEVEE_KV_SEARCH_AFTER;
}

/* With `search: after`, the evictor reads scores from memory. Only logits are stored there. */
static bool searches_after_softmax(const struct levee_kv_rule* rule,
                                   const struct levee_boot_info* info)
{
    return rule->scores && info->kv.search == LEVEE_KV_SEARCH_AFTER && !scores_logits(rule, info);
}

static bool evicts_nowhere(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return !rule->evicts && info->codes.layers == LEVEE_KV_LAYERS_ALL;
}

/* Logits also exist for tokens beyond a layer's window, although the layer does not attend to
 * them. */
static bool scores_beyond_window(const struct levee_kv_rule* rule,
                                 const struct levee_boot_info* info)
{
    return info->codes.layers == LEVEE_KV_LAYERS_ALL && scores_logits(rule, info);
}

/* A packed row has one token's vectors of all heads, so all heads must keep the same tokens. */
static bool packs_other_tokens(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return rule->evicts && !rule->votes && info->cpq.key_bits != 0;
}

/* A token that the search does not list counts as having attention 0 after a softmax. For logits
 * there is no such value. */
static bool lists_logits(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return info->retrieval.bits != 0 && scores_logits(rule, info);
}

/* Listed keys are read from the cache, so their tokens cannot be stored as inputs and
 * recomputed. */
static bool lists_recomputed(const struct levee_kv_rule* rule, const struct levee_boot_info* info)
{
    return info->retrieval.bits != 0 && rule->stores_inputs &&
           info->kv.recompute != LEVEE_KV_RECOMPUTE_OFF;
}

static const struct levee_kv_conflict conflicts[] = {
    {"score",
     "is logit; expected softmax with a policy whose tokens vote by "
     "probabilities",
     votes_by_logits},
    {"search", "is after; expected beside with a voting policy", votes_after},
    {"search",
     "is after, but a search after the scores finds only logits in memory, not probabilities; "
     "expected 'score: logit', too",
     searches_after_softmax},
    {"layers", "is all with a policy that evicts no token; expected full", evicts_nowhere},
    {"layers",
     "is all with 'score: logit': tokens beyond a window have logits, too; "
     "expected full, or 'score: softmax'",
     scores_beyond_window},
    {"cpq",
     "packs a token's keys of all heads together, but the policy does not evict a token in all "
     "heads at once; expected kv_cache.policy voting or full",
     packs_other_tokens},
    {"score", "is logit; expected softmax with retrieval: only listed tokens have logits",
     lists_logits},
    {"recompute",
     "is not off; expected off with retrieval: retrieval lists only cached keys, and recomputed "
     "keys are not in the cache",
     lists_recomputed},
};

const struct levee_kv_conflict* levee_kv_conflict_of(const struct levee_kv_rule* rule,
                                                     const struct levee_boot_info* info)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; ++i)
        if (conflicts[i].occurs(rule, info))
            return &conflicts[i];
    return NULL;
}
