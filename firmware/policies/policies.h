// SPDX-License-Identifier: Apache-2.0
/* Policies of the key/value cache, one row each. Firmware and platform are both compiled with
 * this table. Firmware takes its rule from it (firmware/cache/policy.c). The platform uses it to
 * read `kv_cache:`, and to name policies in messages, results and recordings.
 *
 * A policy's number (levee_kv_policy.kind) is the index of its row. Policies that code refers to
 * have a name in enum levee_kv_policy_kind. A new row takes the next number and needs no name. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/policies/keys.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tokens within the budget that are never evicted. */
struct levee_kv_protection {
    uint32_t sinks, window; /* numbers of first and of most recent tokens */
    uint32_t fixed;         /* the budget must exceed this number */
};

struct levee_kv_rule {
    const char* name;    /* Name in scenarios and recordings. */
    const char* meaning; /* one sentence */
    bool evicts;         /* the policy evicts tokens, so that it has a budget */
    bool scores;         /* the attention that a token receives adds to its importance */
    bool votes;          /* evicts by votes, which all heads of a layer share */
    bool random;         /* unprotected tokens are evicted at random */
    bool stores_inputs;  /* popular tokens are stored as their layer's inputs */
    bool joins;          /* may be combined with another policy, and then processes the tokens
                          * that this other policy keeps */
    uint32_t uses;       /* keys that affect this policy, as LEVEE_KV_BIT */
    uint32_t needs;      /* required keys, which have no default */
    uint32_t refuses;    /* keys that are refused because they would mislead */
    void (*protect)(const struct levee_kv_policy* kv, const struct levee_kv_voting* voting,
                    struct levee_kv_protection* protection);
};

/* Returns the policy with this number, or NULL if there is none. Numbers are contiguous. */
const struct levee_kv_rule* levee_kv_rule_of(uint32_t kind);

#ifdef __cplusplus
}
#endif
