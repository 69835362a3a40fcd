// SPDX-License-Identifier: Apache-2.0
/* Operations and values that caches add to those of the transformer. A cache states which
 * operations its tables need. The target's table states which unit executes each operation. */
#pragma once

#include "firmware/llm/operation.h"

/* In the comments below, N' is the number of slots without the spare one. R is the number of rows
 * of stored inputs per entry. */
enum cache_value {
    VALUE_TABLES = LLM_VALUES, /* slot tables (cache.tables in tables.h) */
    VALUE_SNAPSHOT,            /* copy of the tables, which a layer reads while the policy
                                * changes the originals */
    VALUE_STAGED_KEYS,         /* [entries][G][R + 1][D]: recomputed keys, then the arriving one */
    VALUE_STAGED_VALUES,       /* staged values, in the same shape */
    VALUE_IMPORTANCE,          /* Importance of a prefill's tokens, or votes against them. */
    VALUE_GATHER,              /* Prefilled tokens that are kept. */
    VALUE_INPUTS,              /* [entries][R][dim]: stored layer inputs (cache/kelle) */
    VALUE_RECOMPUTE_INPUTS,    /* [entries][R][dim], stored after NORMED */
    VALUE_RECOMPUTED_KEYS,     /* [entries][R][G * D], stored after RAW_KEYS */
    VALUE_RECOMPUTED_VALUES,   /* stored after RAW_VALUES, in the same shape */
    VALUE_LISTED_SCALES,       /* scales of the values in listed slots */
    VALUE_PACKED,              /* compressed rows (compressed.c) */
    CACHE_VALUES
};

/* The numbers only identify operations; their order has no meaning, as in enum operation_kind. */
#define CACHE_OPERATION_LIST(X)                                                                    \
    /* A cache whose slots a policy assigns (slots.c). */                                          \
    X(SNAPSHOT)    /* copies the tables, since the policy changes them */                          \
    X(EVICT)       /* Adds the arriving token's scores to importance, and chooses the victim. */   \
    X(ACCUMULATE)  /* Prefill: adds a chunk's scores to importance. */                             \
    X(INVALIDATE)  /* marks rows that need no more refresh */                                      \
    X(SELECT)      /* After a prefill: selects the tokens to keep. */                              \
    X(GATHER_KEYS) /* Gathers the selected keys into their slots. */                               \
    X(GATHER_VALUES)                                                                               \
    X(GATHER_KEY_SCALES)                                                                           \
    X(GATHER_VALUE_SCALES)                                                                         \
    X(RESET_TABLES)                                                                                \
    X(RESET_NEXT)                                                                                  \
    X(RESET_IMPORTANCE)                                                                            \
    /* Arriving keys and values that are staged until they have been used (staging.c). */          \
    X(STAGE_SLOTS)    /* records the slots for the later write-back */                             \
    X(SKIP_STORED)    /* Skips tokens that are stored as inputs. */                                \
    X(REDIRECT)       /* redirects readers to the staged vectors */                                \
    X(UNDIRECT)       /* Removes the redirection. */                                               \
    X(WRITE_BACK_KEY) /* Copies the staged vectors to their slots, after use. */                   \
    X(WRITE_BACK_VALUE)                                                                            \
    X(RESET_REDIRECT)                                                                              \
    /* Layer inputs in place of keys and values (kelle/inputs.c). */                               \
    X(STORE_INPUT) /* stores the arriving token's layer input in its row, if it has one */         \
    X(STORE_INPUT_SCALE)                                                                           \
    X(FETCH_INPUTS) /* Fetches stored inputs to the rows after those of the arriving tokens. */    \
    X(FETCH_INPUT_SCALES)                                                                          \
    X(READ_INPUTS)   /* reads stored inputs, if recomputation counts as free */                    \
    X(RECOMPUTE_KEY) /* like STORE_KEY, from fetched inputs to STAGED_KEYS */                      \
    X(RECOMPUTE_VALUE)                                                                             \
    X(POPULAR) /* After SELECT: selects the kept tokens that are stored as inputs. */              \
    X(GATHER_INPUTS)                                                                               \
    X(GATHER_INPUT_SCALES)                                                                         \
    X(RESET_HOLDERS)                                                                               \
    X(RESET_INPUTS) /* writes all rows, since even unused ones are fetched */                      \
    X(RESET_INPUT_SCALES)                                                                          \
    /* Memory fills for the tokens that a sampled run skips (session/sampled.c). */                \
    X(FILL_KEYS) /* fills slots [fill_from, fill_to) */                                            \
    X(FILL_VALUES)                                                                                 \
    X(FILL_VIEWS) /* Fills views, half of them with high scores. */                                \
    /* A cache in which votes assign slots (voting.c). */                                          \
    X(VOTE)            /* Casts the votes of the arriving tokens, or of a chunk in a prefill. */   \
    X(ELECT)           /* Elects the victim. */                                                    \
    X(SELECT_BY_VOTES) /* After a prefill: selects the tokens to keep. */                          \
    /* A cache with attention to the nearest tokens (retrieval.c). TABLES are the proxies, and     \
     * SNAPSHOT is the list of slots that the layer reads. */                                      \
    X(WRITE_PROXIES)   /* Writes proxies of the arriving keys. */                                  \
    X(SEARCH)          /* Lists the slots that the arriving tokens attend to. */                   \
    X(LIST_KEY_SCALES) /* Copies the scales of the listed slots into a list. */                    \
    X(LIST_VALUE_SCALES)                                                                           \
    /* A cache of compressed rows (compressed.c). */                                               \
    X(EXPAND_KEYS) /* Expands the cached tokens for the layer that needs them. */                  \
    X(EXPAND_VALUES)                                                                               \
    X(COMPRESS_KEYS) /* Compresses the arriving tokens. */                                         \
    X(COMPRESS_VALUES)                                                                             \
    X(COMPRESS_PREFILL_KEYS) /* Compresses a whole prompt. */                                      \
    X(COMPRESS_PREFILL_VALUES)                                                                     \
    X(RESET_LEVELS)                                                                                \
    X(MARK_LOCAL) /* marks a local layer's rows as high-score, since its tokens have no scores */

enum cache_operation {
    CACHE_OPERATIONS_BEGIN = LLM_OPERATIONS - 1,
#define OPERATION_NUMBER(name) OPERATION_##name,
    CACHE_OPERATION_LIST(OPERATION_NUMBER) CACHE_OPERATIONS
#undef OPERATION_NUMBER
};
