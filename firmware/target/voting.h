// SPDX-License-Identifier: Apache-2.0
/* Operations of a cache that votes (cache/voting.h), as descriptors of a voting engine: for the
 * table of every machine that has one. */
#pragma once

#include "firmware/target/placement.h"
#include "firmware/target/target.h"

/* Where VOTE takes probabilities from, in vectors of `n` elements; each machine sets it. */
struct voting_source {
    uint64_t probabilities; /* a stream port, or FP32 in memory, [entry][query head][row][n] */
    uint32_t n;
};

/* Whether the policy votes; for unit_class.is_used. */
bool voting_is_used(const struct target* target, const struct lowering* lowering);

/* Ends the run if the engine has no room for the cache, or for the longest prefill of `prefill`
 * tokens. */
void voting_check(const struct cache* cache, uint32_t prefill);

/* VOTE, by part of the layer's cache: `descriptor` has nothing in it. */
void voting_lower_vote(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, const struct voting_source* source,
                       struct levee_descriptor* descriptor);
/* ELECT and SELECT, of all of a layer. */
lower_operation voting_lower_elect, voting_lower_select;
