// SPDX-License-Identifier: Apache-2.0
/* Proxies and lists of slots by an associative memory, on any machine that has one
 * (cache/retrieval.c). A cached token's proxy has the row of the memory that its slot has among the
 * slots of all layers, entries and KV heads. */
#pragma once

#include "firmware/target/target.h"

/* Keys and queries as the machine has them. */
struct retrieval_elements {
    uint8_t type; /* enum levee_type */
    uint8_t bytes;
};

/* Whether the policy searches; for unit_class.is_used. */
bool retrieval_is_used(const struct target* target, const struct lowering* lowering);

/* Ends the run if the memory has no room for the cache's proxies, or too few bits. */
void retrieval_check(const struct cache* cache);

/* By part of the layer's cache; `descriptor` has nothing in it. */
void retrieval_lower_write(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation,
                           const struct retrieval_elements* elements,
                           struct levee_descriptor* descriptor);
void retrieval_lower_search(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation,
                            const struct retrieval_elements* elements,
                            struct levee_descriptor* descriptor);
