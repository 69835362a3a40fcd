// SPDX-License-Identifier: Apache-2.0
/* Policies of the key/value cache. Policies that assign slots use the same operations with
 * different parameters: each arriving token takes a spare slot of its layer, batch entry and KV
 * head; once attention has run, EVICT adds the token's attention to the importance of the
 * others, and chooses the slot for the next token.
 *
 * Policies and their parameters are the rows of firmware/policies/policies.c; a set of hooks
 * (hooks.h) implements one during a pass and between passes. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

struct policy {
    bool evicts;       /* All policies except full, retrieval and cpq. */
    bool scores;       /* the attention a token gets makes it important */
    bool votes;        /* evicts by votes: VOTE and ELECT instead of EVICT */
    bool compresses;   /* rows of keys and values are pruned and quantised */
    bool random;       /* unprotected tokens rank by lot */
    bool redraws;      /* they do so anew at each eviction */
    bool recent_high;  /* recent tokens are refreshed as often as high-score ones */
    bool search_after; /* who leaves is looked for once attention is done */
    uint32_t slots;    /* Slots of a slice: N' and a spare one; full: the context. */
    uint32_t capacity; /* N' */
    /* slots of a local layer's slice, the model's window; 0: all layers follow the policy, since
     * none is local or the window has room for the context */
    uint32_t ring;
    uint32_t reach;  /* the model's window, within which local layers keep what the policy
                      * keeps; 0: none does */
    uint32_t widest; /* slots of the model's largest slice */
    bool banded;     /* A prefill of local layers masks tokens before the window. */
    uint16_t sinks, window;
    struct levee_kv_voting voting;       /* votes */
    struct levee_kv_retrieval retrieval; /* retrieval.bits != 0: a step attends to the nearest */
    uint8_t score;                       /* enum levee_kv_score */
    uint8_t view_bits;
    uint32_t seed;
    uint32_t input_rows; /* tokens of one layer and entry stored as inputs; 0: no recomputation */
    uint32_t computed_rows; /* input_rows, unless recomputation is counted as free: then 0 */
    bool off_for_size;      /* recomputation was requested, but inputs are not smaller */
};

/* Limits of the machine for recomputation, in rows of inputs for each entry. */
struct recompute_room {
    uint32_t hidden; /* Rows that cost no time. */
    uint32_t most;   /* Rows that its units can address. */
};

/* The scenario's policy for this model. Ends the run if it cannot be followed. */
void policy_open(struct policy* policy, const struct model* model, uint32_t context,
                 const struct recompute_room* room);

/* Determines the tokens that local layers keep: the last ones of their window, or those of them
 * that the policy keeps. `masks`: attention can mask tokens before the window in a prefill's own
 * cache. */
void policy_open_local(struct policy* policy, const struct model* model, uint32_t context,
                       bool masks);

/* Whether a layer's tokens are dropped when the window has passed them. */
static inline bool policy_is_local(const struct policy* policy, const struct layer* layer)
{
    return policy->ring != 0 && layer_is_local(layer);
}

/* Whether a layer keeps only those tokens of its window that the policy keeps. */
static inline bool policy_is_masked(const struct policy* policy, const struct layer* layer)
{
    return policy->reach != 0 && layer_is_local(layer);
}

/* Tokens that local layers attend to in a prefill; 0: all, as in other layers. */
static inline uint32_t policy_window(const struct policy* policy)
{
    return policy->ring != 0 ? policy->ring : policy->reach;
}

/* Whether a prefill has its own cache, from which the decode's cache is selected at the end. */
static inline bool policy_selects(const struct policy* policy)
{
    return policy->evicts || policy->compresses;
}

/* Whether the prefill of any layer has its own cache. */
static inline bool policy_stages_prefill(const struct policy* policy)
{
    return policy_selects(policy) || policy->banded;
}

/* Whether an evictor weighs tokens, so that refreshed memory can distinguish high-score ones. */
static inline bool policy_weighs(const struct policy* policy)
{
    return policy->evicts && !policy->votes;
}

/* Valid slots of a slice once the token at `position` is stored. */
static inline uint32_t policy_valid(const struct policy* policy, uint32_t position)
{
    return policy->evicts && position >= policy->capacity ? policy->slots : position + 1;
}

/* Number of tokens, out of `length` cached ones, that a decode step attends to. */
static inline uint32_t policy_listed(const struct policy* policy, uint32_t length)
{
    const struct levee_kv_retrieval* retrieval = &policy->retrieval;
    if (retrieval->top_k != 0)
        return retrieval->top_k < length ? retrieval->top_k : length;
    return (uint32_t)(((uint64_t)length * retrieval->share + 0x7FFFFFFF) >> 31);
}
