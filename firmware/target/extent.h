// SPDX-License-Identifier: Apache-2.0
/* Sizes of activations. The transformer determines the numbers of vectors and elements, and the
 * machine determines the size of an element. */
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

/* The format of a value's elements on a machine. */
struct value_format {
    uint8_t bytes;  /* bytes of an element; 0: the value has no place in memory */
    uint8_t beside; /* additional bytes for each vector in a separate place, such as a scale */
    uint8_t type;   /* enum levee_type in which the value is written */
};

struct extent {
    uint64_t data, scale; /* bytes of the vectors (data) and of everything stored separately from
                           * them (scale) */
};

/* Upper bounds of the quantities on which the sizes of a pass's values depend. */
struct load {
    uint64_t tokens;      /* tokens of all entries */
    uint64_t kv_rows;     /* tokens whose keys and values are computed, including recomputed ones */
    uint64_t staged;      /* vectors per head in STAGED_KEYS, STAGED_VALUES */
    uint64_t queries;     /* tokens with stored queries; 0: queries exist only in tiles */
    uint64_t scores;      /* stored scores of a head; 0: scores exist only in tiles */
    uint64_t activated;   /* tokens that have ACTIVATED vectors at the same time */
    uint64_t logits;      /* number of rows of logits */
    uint32_t staged_bits; /* bits of an element of STAGED_KEYS, STAGED_VALUES */
    bool separate;        /* one product each for Q, K and V */
};

/* For VALUE_CHOICE: returns the number of words before the tokens' choices. The number is even.
 * `chosen` is the number of choices of all tokens together. */
static inline uint64_t lower_choices(const struct model* model, uint64_t chosen)
{
    return (model->header.structure.experts + chosen + 1) & ~1ull;
}

/* For VALUE_CHOICE: returns the number of words before the router's output. If there is a shared
 * expert, these are one gate per token, rounded up to an even number; otherwise 0. */
static inline uint64_t lower_gates(const struct model* model, uint64_t tokens)
{
    return model->header.structure.shared_hidden != 0 ? (tokens + 1) & ~1ull : 0;
}

/* Returns the load that covers both a and b. Each of its members is the greater of the two. */
struct load load_of_both(const struct load* a, const struct load* b);

/* Bytes of `value` (enum value or cache_value) with elements of this format. */
struct extent extent_of(const struct model* model, const struct load* load, unsigned value,
                        const struct value_format* format);
