/* What a transformer is made of: operations on named values. Nothing here knows which block does an
 * operation, where a value lies, or when; that is the scheduler's (sched/). */
#pragma once

#include "firmware/llm/model.h"

#include <stdint.h>

/* Shapes are for `entries` sequences of `rows` tokens each; H heads, G key/value heads, D = the
 * head dimension, C = the context (key/value slots). INT16 values have one FP32 scale per vector.
 */
enum value {
    VALUE_NONE = 0,
    VALUE_X,             /* FP32  [entries][rows][dim]: the residual stream */
    VALUE_NORMED,        /* INT16 [entries][rows][dim] */
    VALUE_QKV,           /* FP32  [entries][rows][(H + 2 G) * D] */
    VALUE_QUERY,         /* INT16 [entries][rows][H][D] */
    VALUE_KEYS,          /* INT16 [layer][batch][G][C][D]: the cache */
    VALUE_VALUES,        /* INT16 [layer][batch][G][C][D]: the cache */
    VALUE_SCORES,        /* FP32  [entries][H][rows][C] */
    VALUE_PROBABILITIES, /* INT16 [entries][H][rows][C], V's scales folded in */
    VALUE_MIXED,         /* FP32  [entries][rows][H * D] */
    VALUE_ATTENDED,      /* INT16 [entries][rows][H * D] */
    VALUE_PROJECTED,     /* FP32  [entries][rows][dim]: what is added to X */
    VALUE_EXPANDED,      /* FP32  [entries][rows][hidden, or gate and up: 2 * hidden] */
    VALUE_ACTIVATED,     /* INT16 [entries][rows][hidden] */
    VALUE_LOGITS,        /* FP32  [entries][logit rows][vocab] */
    VALUE_PICKS,         /* struct levee_sfu_pick [entries][logit rows] */
    VALUE_COUNT
};

enum operation_kind {
    OPERATION_EMBED = 1,
    OPERATION_NORM,
    OPERATION_LINEAR,
    OPERATION_QUERY,       /* position, then INT16 per head */
    OPERATION_STORE_KEY,   /* position, then INT16 into the cache's slot */
    OPERATION_STORE_VALUE, /* INT16 into the cache's slot */
    OPERATION_SCORES,      /* q K^T / sqrt(D) over the cached tokens */
    OPERATION_SOFTMAX,
    OPERATION_MIX, /* p V */
    OPERATION_QUANTISE,
    OPERATION_ADD,
    OPERATION_ACTIVATE,
    OPERATION_PICK
};

struct operation {
    uint8_t kind;                /* enum operation_kind */
    uint8_t reads[2];            /* enum value */
    uint8_t writes;              /* enum value */
    uint8_t on_logit_rows;       /* only on the rows whose logits are wanted */
    uint32_t layer;              /* LEVEE_NO_LAYER for the model's own */
    const struct matrix* matrix; /* LINEAR */
    const struct norm* norm;     /* NORM */
};

/* What the descriptors of an operation carry as their tag: seen in traces and error messages. */
static inline uint32_t operation_tag(const struct operation* operation)
{
    return operation->layer << 8 | operation->kind;
}
