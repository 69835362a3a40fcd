// SPDX-License-Identifier: Apache-2.0
/* What a transformer is made of: operations on named values. Nothing here knows which block does an
 * operation, where a value lies, or when; that is the scheduler's (sched/). */
#pragma once

#include "firmware/llm/model.h"

#include <stdint.h>

/* Shapes are for `entries` sequences of `rows` tokens each; H heads, G key/value heads, D = the
 * head dimension, C = the slots a sequence has in the pass's cache. INT16 values have one FP32
 * scale per vector. Layer inputs that stand for a token's keys and values ("x rows", Kelle, section
 * 4.1.2) are recomputed R at a time for each entry. Tables are cache.h's.
 */
enum value {
    VALUE_NONE = 0,
    VALUE_X,             /* FP32  [entries][rows][dim]: the residual stream */
    VALUE_NORMED,        /* INT16 [entries][rows][dim] */
    VALUE_QKV,           /* FP32  [entries][rows][(H + 2 G) * D] */
    VALUE_QUERY,         /* INT16 [entries][rows][H][D] */
    VALUE_KEYS,          /* INT16 [G][C][D] of each entry: the cache (cache.h) */
    VALUE_VALUES,        /* as KEYS */
    VALUE_SCORES,        /* FP32  [entries][H][rows][C] */
    VALUE_PROBABILITIES, /* INT16 [entries][H][rows][C], V's scales folded in */
    VALUE_MIXED,         /* FP32  [entries][rows][H * D] */
    VALUE_ATTENDED,      /* INT16 [entries][rows][H * D] */
    VALUE_PROJECTED,     /* FP32  [entries][rows][dim]: what is added to X */
    VALUE_EXPANDED,      /* FP32  [entries][rows][hidden, or gate and up: 2 * hidden] */
    VALUE_ACTIVATED,     /* INT16 [entries][rows][hidden] */
    VALUE_LOGITS,        /* FP32  [entries][logit rows][vocab] */
    VALUE_PICKS,         /* struct levee_sfu_pick [entries][logit rows] */
    VALUE_RAW_QUERY,     /* FP32  [entries][rows][H * D]: where Q, K, V are products of their own */
    VALUE_RAW_KEYS,      /* FP32  [entries][rows][G * D] */
    VALUE_RAW_VALUES,    /* as RAW_KEYS */
    VALUE_RECALLED,      /* INT16 [entries][R][dim], behind NORMED: x rows */
    VALUE_RECALLED_KEYS, /* FP32  [entries][R][G * D], behind RAW_KEYS */
    VALUE_RECALLED_VALUES, /* as RECALLED_KEYS, behind RAW_VALUES */
    VALUE_NEW_KEYS,   /* INT16 [entries][G][x rows + 1][D]: recomputed, and last the arriving */
    VALUE_NEW_VALUES, /* as NEW_KEYS */
    VALUE_TABLES,     /* whose slot is whose: what the evictor keeps */
    VALUE_SNAPSHOT,   /* of what a layer reads of them while the evictor changes them */
    VALUE_X_ROWS,     /* INT16 [entries][x rows][dim]: stored layer inputs */
    VALUE_IMPORTANCE, /* of the tokens of a prefill */
    VALUE_GATHER,     /* which of them are kept */
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
    OPERATION_PICK,

    /* A cache of limited size. */
    OPERATION_SNAPSHOT,     /* the tables the layer reads while the evictor changes them */
    OPERATION_EVICT,        /* what the arriving token makes of importance, and who leaves */
    OPERATION_ACCUMULATE,   /* prefill: what a chunk of tokens makes of it */
    OPERATION_KEEP_X,       /* the layer's input into its x row, if the token gets one */
    OPERATION_KEEP_X_SCALE, /* and its scale */

    /* Recomputation. */
    OPERATION_RECALL, /* x rows, behind the arriving tokens' layer inputs */
    OPERATION_RECALL_SCALES,
    OPERATION_RESTORE_KEY, /* as STORE_KEY, of the recalled tokens, into NEW_KEYS */
    OPERATION_RESTORE_VALUE,

    /* Arriving keys and values that stay in NEW_KEYS, NEW_VALUES until they have been used. */
    OPERATION_KEEP_SLOTS,  /* where they go afterwards */
    OPERATION_SKIP_STORED, /* not those stored as inputs */
    OPERATION_REDIRECT,    /* who asks for them finds them where they are */
    OPERATION_KEEP_KEY,    /* into their slot, after use */
    OPERATION_KEEP_VALUE,
    OPERATION_UNDIRECT,

    /* Between batches, and before and after an entry's prefill. */
    OPERATION_RESET_TABLES,
    OPERATION_RESET_NEXT,
    OPERATION_RESET_HOLDERS,
    OPERATION_RESET_X, /* recalled as far as any entry has them: other entries' must be something */
    OPERATION_RESET_X_SCALES,
    OPERATION_RESET_REDIRECT,
    OPERATION_RESET_RING, /* in memory that is refreshed: valid, as what passes through would be */
    OPERATION_RESET_RING_VIEWS,
    OPERATION_RESET_IMPORTANCE,
    OPERATION_FILL_KEYS, /* refreshed slots [fill_from, fill_to) that tokens left out would be in */
    OPERATION_FILL_VALUES,
    OPERATION_FILL_VIEWS, /* of which half are as high-score ones */
    OPERATION_SELECT,
    OPERATION_POPULAR,
    OPERATION_GATHER_KEYS,
    OPERATION_GATHER_VALUES,
    OPERATION_GATHER_KEY_SCALES,
    OPERATION_GATHER_VALUE_SCALES,
    OPERATION_GATHER_X,
    OPERATION_GATHER_X_SCALES,

    OPERATION_FORGET /* rows nobody will read need not be refreshed */
};

struct operation {
    uint8_t kind;                /* enum operation_kind */
    uint8_t reads[2];            /* enum value */
    uint8_t writes;              /* enum value */
    uint8_t on_logit_rows;       /* only on the rows whose logits are wanted */
    uint8_t with_recalled;       /* LINEAR: on the recalled rows, too */
    uint8_t part;                /* of the layer's cache, for those done part by part */
    uint32_t also_reads;         /* VALUE_BIT(value) of others */
    uint32_t also_writes;        /* likewise; what is read here too is used up */
    uint32_t layer;              /* LEVEE_NO_LAYER for the model's own */
    const struct matrix* matrix; /* LINEAR */
    const struct norm* norm;     /* NORM */
};

#define VALUE_BIT(value) (1u << (value))

/* What the descriptors of an operation carry as their tag: seen in traces and error messages. */
static inline uint32_t operation_tag(const struct operation* operation)
{
    return operation->layer << 8 | operation->kind;
}
