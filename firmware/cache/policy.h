// SPDX-License-Identifier: Apache-2.0
/* Policies of the key/value cache. All policies that assign slots use the same operations with
 * different parameters. Each arriving token takes a spare slot of its layer, batch entry and KV
 * head. After attention, EVICT adds the received attention to the importance of the other
 * tokens, and chooses the slot for the next token.
 *
 * The rows of firmware/policies/policies.c define the policies and their parameters. A set of hooks
 * (hooks.h) implements a policy during a pass and between passes. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

struct policy {
    bool evicts;       /* All policies except full, retrieval and cpq. */
    bool scores;       /* the attention that a token receives adds to its importance */
    bool votes;        /* evicts by votes: VOTE and ELECT instead of EVICT */
    bool compresses;   /* rows of keys and values are pruned and quantised */
    bool random;       /* unprotected tokens have random ranks */
    bool redraws;      /* each eviction draws new ranks */
    bool recent_high;  /* recent tokens are refreshed at the rate of high-score ones */
    bool search_after; /* the search for a victim runs after attention instead of during it */
    uint32_t slots;    /* Slots of a slice: N' and a spare one; policy full: the whole context. */
    uint32_t capacity; /* N', the number of tokens kept */
    /* Number of slots in a local layer's slice, which is the number of tokens in the model's
     * window. 0: all layers follow the policy, because none is local, because the window is as long
     * as the context, or because `reach` is set. */
    uint32_t ring;
    uint32_t reach;  /* The model's window, if the policy also selects tokens within it for local
                      * layers; otherwise 0. */
    uint32_t widest; /* slots of the model's largest slice */
    bool banded;     /* in a prefill, local layers mask the tokens before the window */
    uint16_t sinks, window;
    struct levee_kv_voting voting;       /* settings of a policy that votes */
    struct levee_kv_retrieval retrieval; /* retrieval.bits != 0: a step attends only to the
                                            nearest tokens */
    uint8_t score;                       /* enum levee_kv_score */
    uint8_t view_bits;
    uint32_t seed;
    uint32_t input_rows;    /* tokens of one layer and entry that are stored as inputs; 0: no
                               recomputation */
    uint32_t computed_rows; /* input_rows; 0 if recomputation counts as free */
    bool off_for_size;      /* recomputation was requested, but inputs are not smaller than keys
                               and values */
};

/* The machine's limits on recomputation, in rows of inputs for each entry. */
struct recompute_room {
    uint32_t hidden; /* rows that cost no time */
    uint32_t most;   /* rows that the units can address */
};

/* Reads the scenario's policy and adapts it to this model. Ends the run if the model cannot use
 * it. */
void policy_open(struct policy* policy, const struct model* model, uint32_t context,
                 const struct recompute_room* room);

/* Determines which tokens local layers keep: all tokens of their window, or those that the policy
 * keeps. `masks` states whether attention can mask the tokens before the window in a prefill's own
 * cache. */
void policy_open_local(struct policy* policy, const struct model* model, uint32_t context,
                       bool masks);

/* Returns whether the layer drops all tokens that have left its window. */
static inline bool policy_is_local(const struct policy* policy, const struct layer* layer)
{
    return policy->ring != 0 && layer_is_local(layer);
}

/* Returns whether the layer keeps only those tokens of its window that the policy keeps. */
static inline bool policy_is_masked(const struct policy* policy, const struct layer* layer)
{
    return policy->reach != 0 && layer_is_local(layer);
}

/* Returns the number of tokens to which local layers attend in a prefill; 0: all tokens, as in
 * other layers. */
static inline uint32_t policy_window(const struct policy* policy)
{
    return policy->ring != 0 ? policy->ring : policy->reach;
}

/* Returns whether a prefill has its own cache, from which tokens are selected for decoding at its
 * end. */
static inline bool policy_selects(const struct policy* policy)
{
    return policy->evicts || policy->compresses;
}

/* Returns whether the prefill of any layer has its own cache. */
static inline bool policy_stages_prefill(const struct policy* policy)
{
    return policy_selects(policy) || policy->banded;
}

/* Returns whether an evictor scores tokens. Refreshed memory can then treat tokens with high scores
 * differently. */
static inline bool policy_weighs(const struct policy* policy)
{
    return policy->evicts && !policy->votes;
}

/* Returns the number of valid slots in a slice once the token at `position` is stored. */
static inline uint32_t policy_valid(const struct policy* policy, uint32_t position)
{
    return policy->evicts && position >= policy->capacity ? policy->slots : position + 1;
}

/* Returns to how many of `length` cached tokens a decode step attends. */
static inline uint32_t policy_listed(const struct policy* policy, uint32_t length)
{
    const struct levee_kv_retrieval* retrieval = &policy->retrieval;
    if (retrieval->top_k != 0)
        return retrieval->top_k < length ? retrieval->top_k : length;
    return (uint32_t)(((uint64_t)length * retrieval->share + 0x7FFFFFFF) >> 31);
}
