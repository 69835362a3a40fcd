// SPDX-License-Identifier: Apache-2.0
#include "firmware/policies/policies.h"

#include <stddef.h>

static void protect_stated(const struct levee_kv_policy* kv, const struct levee_kv_voting* voting,
                           struct levee_kv_protection* protection)
{
    (void)voting;
    *protection = (struct levee_kv_protection){kv->sinks, kv->window, kv->sinks + kv->window};
}

/* StreamingLLM keeps the sinks and the most recent tokens. */
static void protect_recent(const struct levee_kv_policy* kv, const struct levee_kv_voting* voting,
                           struct levee_kv_protection* protection)
{
    (void)voting;
    *protection = (struct levee_kv_protection){kv->sinks, kv->budget - kv->sinks, kv->sinks};
}

/* H2O has no sinks, and half of its budget is for recent tokens. */
static void protect_half(const struct levee_kv_policy* kv, const struct levee_kv_voting* voting,
                         struct levee_kv_protection* protection)
{
    (void)voting;
    *protection = (struct levee_kv_protection){0, kv->budget / 2, 0};
}

/* The voting engine has its own protection, in addition to the evictor's. */
static void protect_voters(const struct levee_kv_policy* kv, const struct levee_kv_voting* voting,
                           struct levee_kv_protection* protection)
{
    *protection = (struct levee_kv_protection){kv->sinks, kv->window, voting->protect};
}

/* Sets of keys: those that every policy uses, and those of policies that an evictor executes. */
#define EVERY                                                                                      \
    (LEVEE_KV_BIT(STAGING) | LEVEE_KV_BIT(REFRESH) | LEVEE_KV_BIT(ACTIVATION_REFRESH) |            \
     LEVEE_KV_BIT(BITS) | LEVEE_KV_BIT(HADAMARD))
#define LIMITED (EVERY | LEVEE_KV_BIT(BUDGET) | LEVEE_KV_BIT(RATIO))
#define WEIGHED                                                                                    \
    (LIMITED | LEVEE_KV_BIT(VIEW_BITS) | LEVEE_KV_BIT(RECENT_HIGH) | LEVEE_KV_BIT(LAYERS))
#define SCORED (WEIGHED | LEVEE_KV_BIT(SCORE) | LEVEE_KV_BIT(SEARCH))
#define WINDOWS (LEVEE_KV_BIT(SINKS) | LEVEE_KV_BIT(RECENT_WINDOW))

static const struct levee_kv_rule rules[] = {
    [LEVEE_KV_FULL] = {.name = "full", .meaning = "Everything is kept.", .uses = EVERY},
    [LEVEE_KV_STREAMING] = {.name = "streaming",
                            .meaning = "The first `sinks` tokens and the most recent tokens stay "
                                       "(StreamingLLM, section 3.2).",
                            .evicts = true,
                            .uses = WEIGHED | LEVEE_KV_BIT(SINKS),
                            .protect = protect_recent},
    [LEVEE_KV_H2O] = {.name = "h2o",
                      .meaning = "Half of the budget keeps recent tokens, the other half the "
                                 "tokens with the most attention (H2O, section 4).",
                      .evicts = true,
                      .scores = true,
                      .uses = SCORED,
                      .protect = protect_half},
    [LEVEE_KV_RANDOM] = {.name = "random",
                         .meaning =
                             "`sinks` and `recent_window` stay; victims among the other tokens are "
                             "drawn at random, separately in each layer, sequence and head.",
                         .evicts = true,
                         .random = true,
                         .uses = WEIGHED | WINDOWS | LEVEE_KV_BIT(DRAW),
                         .protect = protect_stated},
    [LEVEE_KV_AEP] = {.name = "aep",
                      .meaning = "`sinks` and `recent_window` stay, and so do the tokens with the "
                                 "most attention (Kelle, section 4.1.1).",
                      .evicts = true,
                      .scores = true,
                      .uses = SCORED | WINDOWS,
                      .protect = protect_stated},
    [LEVEE_KV_AERP] = {.name = "aerp",
                       .meaning = "Keeps the same tokens as `aep`, but stores popular tokens as "
                                  "inputs of their layer (Kelle, section 4.1.2).",
                       .evicts = true,
                       .scores = true,
                       .stores_inputs = true,
                       .uses = SCORED | WINDOWS | LEVEE_KV_BIT(RECOMPUTE),
                       .protect = protect_stated},
    [LEVEE_KV_VOTING] = {.name = "voting",
                         .meaning = "The first `protect` tokens stay, and so do the tokens with "
                                    "the fewest votes against them (VEDA, section III).",
                         .evicts = true,
                         .scores = true,
                         .votes = true,
                         .uses = LIMITED | LEVEE_KV_BIT(LAYERS) | LEVEE_KV_BIT(THRESHOLD) |
                                 LEVEE_KV_BIT(RESERVED) | LEVEE_KV_BIT(PROTECT),
                         .needs = LEVEE_KV_BIT(THRESHOLD) | LEVEE_KV_BIT(RESERVED),
                         .protect = protect_voters},
    [LEVEE_KV_CPQ] = {.name = "cpq",
                      .meaning = "Everything is kept, pruned and quantised (Titanus, section IV).",
                      .joins = true,
                      .uses = EVERY | LEVEE_KV_BIT(CPQ) | LEVEE_KV_BIT(RETRIEVAL),
                      .needs = LEVEE_KV_BIT(CPQ),
                      .refuses = LEVEE_KV_BIT(BUDGET) | LEVEE_KV_BIT(RATIO)},
    [LEVEE_KV_RETRIEVAL] = {.name = "retrieval",
                            .meaning = "Everything is kept; a decode step attends to the tokens "
                                       "whose keys are nearest.",
                            .joins = true,
                            .uses = EVERY | LEVEE_KV_BIT(RETRIEVAL),
                            .needs = LEVEE_KV_BIT(RETRIEVAL),
                            .refuses = LEVEE_KV_BIT(BUDGET) | LEVEE_KV_BIT(RATIO)},
};

const struct levee_kv_rule* levee_kv_rule_of(uint32_t kind)
{
    return kind < sizeof rules / sizeof *rules ? &rules[kind] : NULL;
}
