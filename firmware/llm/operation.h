// SPDX-License-Identifier: Apache-2.0
/* Operations of a transformer: fifteen of them, on named values. This level does not know which
 * unit executes an operation, the place of a value, the type of its elements, or the time of
 * anything; the parts know (target/operations.h). */
#pragma once

#include "core/abi/tag_names.h"
#include "firmware/llm/model.h"

#include <stdint.h>

/* Shapes are for `entries` sequences of `rows` tokens each; H heads, G key/value heads, D = head
 * dimension, C = slots of a sequence in the pass's cache. The cache adds its own values from
 * LLM_VALUES on (cache/operations.h). */
enum value {
    VALUE_NONE = 0,
    VALUE_X,             /* [entries][rows][dim]: the residual stream */
    VALUE_NORMED,        /* [entries][rows][dim] */
    VALUE_QKV,           /* [entries][rows][(H + 2 G) * D]; latent attention: [H][D], queries that
                            are longer than RAW_QUERY's, to be rotated */
    VALUE_QUERY,         /* [entries][rows][H][D] */
    VALUE_KEYS,          /* [G][C][D] of each entry: the cache's keys */
    VALUE_VALUES,        /* values of the same shape; with latent attention the keys contain them */
    VALUE_SCORES,        /* [entries][H][rows][C] */
    VALUE_PROBABILITIES, /* [entries][H][rows][C] */
    VALUE_MIXED,         /* [entries][rows][H * D]: probabilities times values; latent values are
                          * shorter than D */
    VALUE_ATTENDED,      /* [entries][rows][H * D]: the same in the format of the next product;
                          * with latent attention, in turn all inputs of products on the way */
    VALUE_PROJECTED,     /* [entries][rows][dim]: vector that is added to X */
    /* [entries][rows][hidden, or gate and up: 2 * hidden] of the layer's network. With experts
     * it has one such row for each chosen expert, and later their results, [dim] each. */
    VALUE_EXPANDED,
    VALUE_ACTIVATED,  /* [entries][rows][hidden], likewise */
    VALUE_LOGITS,     /* [entries][logit rows][vocab] */
    VALUE_PICKS,      /* struct pick [entries][logit rows] */
    VALUE_RAW_QUERY,  /* [entries][rows][H * D]: if Q, K and V are separate products */
    VALUE_RAW_KEYS,   /* [entries][rows][G * D] */
    VALUE_RAW_VALUES, /* Like RAW_KEYS; with latent attention: results of heads. */
    VALUE_CHOICE, /* FP32 [rows], the gates of a shared expert, if there is one; words [E], [rows *
                     chosen] and struct levee_sfu_choice [rows * chosen]: which of E experts the
                     tokens go through */
    LLM_VALUES
};

/* Result of PICK for a row of logits; the function unit writes it, the core reads it. */
struct pick {
    uint32_t index; /* Index of the largest logit, ties to the lowest, or of the drawn one. */
    float value;    /* Value of that logit. */
    float log_sum_exp;
    float log_prob; /* Log-probability of `index`, or of the token in question. */
};

/* The numbers are names for tables and descriptor tags; their order means nothing. The cache's
 * operations begin at LLM_OPERATIONS. */
#define LLM_OPERATION_LIST(X)                                                                      \
    X(EMBED)                                                                                       \
    X(NORM)                                                                                        \
    X(LINEAR)                                                                                      \
    X(QUERY)       /* norm and position, then the type of the cache, per head */                   \
    X(STORE_KEY)   /* norm and position, then into the cache's slot */                             \
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
    uint8_t kind;          /* enum operation_kind, or one of the cache's */
    uint8_t reads[2];      /* enum value, or one of the cache's */
    uint8_t writes;        /* Value written, likewise. */
    uint8_t on_logit_rows; /* Executed only on rows whose logits are wanted. */
    uint8_t extra_rows;    /* Also applied to rows that the cache appends, whose number varies
                            * from pass to pass. */
    uint8_t part;          /* Part of the layer's cache, for operations that run part by part. */
    uint32_t also_reads;   /* VALUE_BIT(value) of others */
    uint32_t also_writes;  /* Second value written; a value that is also read here is used up. */
    uint32_t layer;        /* LEVEE_NO_LAYER for the model's own */
    const struct matrix* matrix; /* LINEAR; ACTIVATE: matrix whose results it reads */
    const struct norm* norm;     /* NORM; without a gain, the values remain as they are */
};

#define VALUE_BIT(value) (1u << (value))

/* A list of operations in the making. */
struct operation_list {
    struct operation* operations;
    uint32_t count, capacity;
};

/* Appends an operation. Ends the run if the list is full. */
void operation_append(struct operation_list* list, const struct operation* operation);

/* Tag of an operation's descriptors, seen in traces and error messages. */
static inline uint32_t operation_tag(const struct operation* operation)
{
    return LEVEE_TAG(operation->layer, operation->kind);
}
