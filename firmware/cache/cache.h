// SPDX-License-Identifier: Apache-2.0
/* The cache that passes use. It consists of sets of hooks (hooks.h), which the policy selects, and
 * of tables and slices (tables.h) on which the hooks work. */
#pragma once

#include "firmware/cache/hooks.h"
#include "firmware/cache/tables.h"

/* Requirements that a cache must meet. */
struct cache_request {
    uint32_t batch;
    uint32_t prefilled;           /* maximum number of tokens in a prefill */
    struct kv_form form;          /* Form of keys and values. */
    uint32_t input_element_bytes; /* Bytes of an element of stored inputs, equal to the target's
                                   * activations. */
    bool scaled;                  /* Whether each vector has an FP32 scale. */
    bool staged; /* arriving keys and values stay outside the cache until they are used */
    store_describe* describe;
};

/* Selects the hooks and places all data. If some data do not fit, ends the run and names them. */
void cache_open(struct cache* cache, const struct model* model, const struct policy* policy,
                struct space* space, const struct cache_request* request);

/* Reports where slices are, and how recomputation is set. Slices are numbered layer by layer, then
 * entry by entry, then head by head. The first kv.resident_slices slices are consecutive in the
 * memory, in both of its halves, beginning at kv.edram_base_offset. Each takes kv.slice_bytes,
 * except those of local layers. */
void cache_report(const struct cache* cache);
