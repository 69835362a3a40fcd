// SPDX-License-Identifier: Apache-2.0
/* How large activations are: the transformer says how many vectors of how many elements, the
 * machine what an element is. */
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

/* What a value's elements are on a machine. */
struct value_format {
    uint8_t bytes;  /* room for an element; 0: the value has no place in memory */
    uint8_t beside; /* of each vector, in a place of their own: a scale, or whatever it is */
    uint8_t type;   /* enum levee_type, as whoever writes the value writes it */
};

struct extent {
    uint64_t data, scale; /* bytes; scale: all that is beside vectors */
};

/* What a pass goes through at most. */
struct load {
    uint64_t tokens;      /* of all entries */
    uint64_t kv_rows;     /* that keys and values are computed for: recomputed ones, too */
    uint64_t staged;      /* vectors of a head in STAGED_KEYS, STAGED_VALUES */
    uint64_t queries;     /* as tokens; 0: they are only in tiles */
    uint64_t scores;      /* of a head; 0: likewise */
    uint64_t activated;   /* tokens that have such a vector at a time */
    uint64_t logits;      /* rows of */
    uint32_t staged_bits; /* of an element of STAGED_KEYS, STAGED_VALUES */
    bool separate;        /* Q, K and V by a product each */
};

/* VALUE_CHOICE: words before the choices of tokens that go through `chosen` experts in all, an even
 * number. */
static inline uint64_t lower_choices(const struct model* model, uint64_t chosen)
{
    return (model->header.structure.experts + chosen + 1) & ~1ull;
}

/* A load as large as both. */
struct load load_of_both(const struct load* a, const struct load* b);

/* Bytes of `value`, one of enum value or cache_value, with elements of this format. */
struct extent extent_of(const struct model* model, const struct load* load, unsigned value,
                        const struct value_format* format);
