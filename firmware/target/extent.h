// SPDX-License-Identifier: Apache-2.0
/* Sizes of activations: the transformer gives the number of vectors and of elements, the machine
 * the size of an element. */
#pragma once

#include "firmware/cache/operations.h"
#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

/* The format of a value's elements on a machine. */
struct value_format {
    uint8_t bytes;  /* room for an element; 0: the value has no place in memory */
    uint8_t beside; /* additional bytes for each vector in a separate place, such as a scale */
    uint8_t type;   /* enum levee_type, as whoever writes the value writes it */
};

struct extent {
    uint64_t data, scale; /* bytes; scale: all data outside the vectors */
};

/* The largest sizes of a pass. */
struct load {
    uint64_t tokens;      /* tokens of all entries */
    uint64_t kv_rows;     /* tokens whose keys and values are computed, including recomputed ones */
    uint64_t staged;      /* vectors of a head in STAGED_KEYS, STAGED_VALUES */
    uint64_t queries;     /* Queries in the form of tokens; 0: only in tiles. */
    uint64_t scores;      /* scores of a head; 0: likewise */
    uint64_t activated;   /* tokens that have this vector at a time */
    uint64_t logits;      /* rows of */
    uint32_t staged_bits; /* bits of an element of STAGED_KEYS, STAGED_VALUES */
    bool separate;        /* Q, K and V by a product each */
};

/* VALUE_CHOICE: number of words before the choices of tokens that go through `chosen` experts in
 * all; an even number. */
static inline uint64_t lower_choices(const struct model* model, uint64_t chosen)
{
    return (model->header.structure.experts + chosen + 1) & ~1ull;
}

/* Number of words before those: a gate for each token of a shared expert. */
static inline uint64_t lower_gates(const struct model* model, uint64_t tokens)
{
    return model->header.structure.shared_hidden != 0 ? (tokens + 1) & ~1ull : 0;
}

/* A load as large as both. */
struct load load_of_both(const struct load* a, const struct load* b);

/* Bytes of `value`, one of enum value or cache_value, with elements of this format. */
struct extent extent_of(const struct model* model, const struct load* load, unsigned value,
                        const struct value_format* format);
