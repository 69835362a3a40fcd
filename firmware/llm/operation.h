// SPDX-License-Identifier: Apache-2.0
/* The operations of a transformer, on named values. An operation does not state which unit executes
 * it, where a value is stored, which type its elements have, or how long anything takes. The parts
 * of machines determine this (target/operations.h). */
#pragma once

#include "core/abi/tag_names.h"
#include "firmware/llm/model.h"

#include <stdint.h>

/* Shapes are for `entries` sequences of `rows` tokens each. H is the number of heads, G the number
 * of key/value heads, D the head dimension, and C the number of slots of a sequence in the pass's
 * cache. The cache's own values are numbered from LLM_VALUES on (cache/operations.h). */
enum value {
    VALUE_NONE = 0,
    VALUE_X,             /* [entries][rows][dim]: the residual stream */
    VALUE_NORMED,        /* [entries][rows][dim] */
    VALUE_QKV,           /* [entries][rows][(H + 2 G) * D]; latent attention: [H][D], queries
                            that are longer than RAW_QUERY's and not yet rotated */
    VALUE_QUERY,         /* [entries][rows][H][D] */
    VALUE_KEYS,          /* [G][C][D] of each entry: keys in the cache */
    VALUE_VALUES,        /* values in the same shape; in latent attention the keys contain them */
    VALUE_SCORES,        /* [entries][H][rows][C] */
    VALUE_PROBABILITIES, /* [entries][H][rows][C] */
    VALUE_MIXED,         /* [entries][rows][H * D]: probabilities times values; latent values are
                          * shorter than D */
    VALUE_ATTENDED,      /* [entries][rows][H * D]: MIXED in the format of the next product.
                          * Latent attention stores all inputs of its intermediate products here,
                          * one after another */
    VALUE_PROJECTED,     /* [entries][rows][dim]: vector that is added to X */
    /* [entries][rows][hidden, or gate and up: 2 * hidden], for the width `hidden` of the layer's
     * network. With experts there is one row per chosen expert. Later these rows hold the experts'
     * results, with [dim] elements each. */
    VALUE_EXPANDED,
    VALUE_ACTIVATED,  /* [entries][rows][hidden], one row per chosen expert */
    VALUE_LOGITS,     /* [entries][logit rows][vocab] */
    VALUE_PICKS,      /* struct pick [entries][logit rows] */
    VALUE_RAW_QUERY,  /* [entries][rows][H * D], if Q, K and V are separate products */
    VALUE_RAW_KEYS,   /* [entries][rows][G * D] */
    VALUE_RAW_VALUES, /* same shape as RAW_KEYS; latent attention: results of heads */
    VALUE_CHOICE,     /* FP32 [rows], the gates of a shared expert, if there is one. Then words [E]
                         and [rows * chosen], and struct levee_sfu_choice [rows * chosen]: the
                         experts, out of E, that each token uses */
    LLM_VALUES
};

/* Result of PICK for one row of logits. The function unit writes it, and the core reads it. */
struct pick {
    uint32_t index; /* index of the largest logit (the lowest index of equals), or of the drawn
                       one */
    float value;    /* Value of that logit. */
    float log_sum_exp;
    float log_prob; /* log-probability of `index`, or of the given token */
};

/* The numbers only identify operations in tables and descriptor tags; their order has no
 * meaning. The cache's operations begin at LLM_OPERATIONS. */
#define LLM_OPERATION_LIST(X)                                                                      \
    X(EMBED)                                                                                       \
    X(NORM)                                                                                        \
    X(LINEAR)                                                                                      \
    X(QUERY)       /* per head: norm, rotation, and conversion to the cache's type */              \
    X(STORE_KEY)   /* per head: norm and rotation, then into the cache's slot */                   \
    X(STORE_VALUE) /* into the cache's slot */                                                     \
    X(SCORES)      /* q K^T / sqrt(D) over the cached tokens */                                    \
    X(SOFTMAX)                                                                                     \
    X(MIX) /* p V */                                                                               \
    X(QUANTISE)                                                                                    \
    X(ADD)                                                                                         \
    X(ACTIVATE)                                                                                    \
    X(PICK)                                                                                        \
    X(ROUTE)   /* Turns the experts' scores in PROJECTED into the choice of experts. */            \
    X(COMBINE) /* Sums the results of the chosen experts and of a shared one. */

enum operation_kind {
    OPERATION_NONE,
#define OPERATION_NUMBER(name) OPERATION_##name,
    LLM_OPERATION_LIST(OPERATION_NUMBER) LLM_OPERATIONS
#undef OPERATION_NUMBER
};

struct operation {
    uint8_t kind;                /* enum operation_kind, or a cache's operation */
    uint8_t reads[2];            /* enum value, or a cache's value */
    uint8_t writes;              /* value written */
    uint8_t on_logit_rows;       /* executed only on rows that need logits */
    uint8_t extra_rows;          /* also applied to rows that the cache appends, whose number varies
                                  * from pass to pass */
    uint8_t part;                /* part of the layer's cache, if the operation runs on each part
                                    separately */
    uint32_t also_reads;         /* further values read, as VALUE_BIT(value) */
    uint32_t also_writes;        /* further values written; a value that is also in also_reads is
                                  * consumed */
    uint32_t layer;              /* LEVEE_NO_LAYER: the operation belongs to no layer */
    const struct matrix* matrix; /* LINEAR: its matrix; ACTIVATE: the matrix whose results it
                                    reads */
    const struct norm* norm;     /* NORM: a norm without a gain copies the values */
};

#define VALUE_BIT(value) (1u << (value))

/* A list of operations under construction. */
struct operation_list {
    struct operation* operations;
    uint32_t count, capacity;
};

/* Appends an operation. Ends the run if the list is full. */
void operation_append(struct operation_list* list, const struct operation* operation);

/* Tag in an operation's descriptors, for traces and error messages. */
static inline uint32_t operation_tag(const struct operation* operation)
{
    return LEVEE_TAG(operation->layer, operation->kind);
}
