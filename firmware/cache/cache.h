// SPDX-License-Identifier: Apache-2.0
/* A cache as passes use it: sets of hooks (hooks.h) over tables and slices (tables.h), which the
 * policy chooses. */
#pragma once

#include "firmware/cache/hooks.h"
#include "firmware/cache/tables.h"

/* Requirements for a cache. */
struct cache_request {
    uint32_t batch;
    uint32_t prefilled;           /* most tokens of a prefill */
    struct kv_form form;          /* Form of keys and values. */
    uint32_t input_element_bytes; /* Bytes of an element of stored inputs, equal to the target's
                                   * activations. */
    bool scaled;                  /* Whether each vector has an FP32 scale. */
    bool staged; /* arriving keys and values stay outside the cache until they are used */
    store_describe* describe;
};

/* Chooses the hooks and places everything. Ends the run, naming the data that do not fit. */
void cache_open(struct cache* cache, const struct model* model, const struct policy* policy,
                struct space* space, const struct cache_request* request);

/* Reports the places of slices, and the recomputation. Slices are numbered entry by entry and
 * head by head, layer by layer. The first kv.resident_slices lie one after another in the store,
 * from kv.edram_base_offset on, with kv.slice_bytes each (except those of local layers), in both
 * halves. */
void cache_report(const struct cache* cache);
