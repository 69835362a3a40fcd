// SPDX-License-Identifier: Apache-2.0
/* Policies of the key/value cache, one row each. Both firmware and platform are compiled with
 * this table. Firmware takes its rule from it (firmware/cache/policy.c); the platform uses it to
 * read `kv_cache:` and to name policies in messages, results and recordings.
 *
 * A policy's number (levee_kv_policy.kind) is its row's index. Policies that code refers to have
 * a name in enum levee_kv_policy_kind; a new row takes the next number and needs no name. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/policies/keys.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tokens of the budget that do not leave. */
struct levee_kv_protection {
    uint32_t sinks, window; /* the first and the most recent */
    uint32_t fixed;         /* the budget must be greater */
};

struct levee_kv_rule {
    const char* name;    /* Name in scenarios and recordings. */
    const char* meaning; /* one sentence */
    bool evicts;         /* tokens leave, so that there is a budget */
    bool scores;         /* the attention that a token gets makes it important */
    bool votes;          /* Evicts by votes, the same in all heads of a layer. */
    bool random;         /* unprotected tokens leave by lot */
    bool stores_inputs;  /* popular tokens are stored as inputs of their layer */
    bool joins;          /* may be combined with another policy, whose kept tokens it treats */
    uint32_t uses;       /* keys that have an effect with this policy, as LEVEE_KV_BIT says */
    uint32_t needs;      /* Needed keys that have no default. */
    uint32_t refuses;    /* keys that would mislead */
    void (*protect)(const struct levee_kv_policy* kv, const struct levee_kv_voting* voting,
                    struct levee_kv_protection* protection);
};

/* Policy with this number; NULL if there is none. Numbers have no gaps. */
const struct levee_kv_rule* levee_kv_rule_of(uint32_t kind);

#ifdef __cplusplus
}
#endif
