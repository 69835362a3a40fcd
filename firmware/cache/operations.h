// SPDX-License-Identifier: Apache-2.0
/* Operations and values that caches add to the transformer's. A cache states what happens to its
 * tables; the target's table states which unit does it. */
#pragma once

#include "firmware/llm/operation.h"

/* N' = the cache's slots but the spare one; R = the rows of stored inputs of an entry. */
enum cache_value {
    VALUE_TABLES = LLM_VALUES, /* Owners of slots. */
    VALUE_SNAPSHOT,            /* Copy of the tables that a layer reads while the policy changes
                                * them. */
    VALUE_STAGED_KEYS,         /* [entries][G][R + 1][D]: recomputed, and last the arriving */
    VALUE_STAGED_VALUES,       /* Staged values, likewise. */
    VALUE_IMPORTANCE,          /* Importance of a prefill's tokens, or votes against them. */
    VALUE_GATHER,              /* Prefilled tokens that are kept. */
    VALUE_INPUTS,              /* [entries][R][dim]: stored layer inputs (cache/kelle) */
    VALUE_RECOMPUTE_INPUTS,    /* [entries][R][dim], behind NORMED */
    VALUE_RECOMPUTED_KEYS,     /* [entries][R][G * D], behind RAW_KEYS */
    VALUE_RECOMPUTED_VALUES,   /* Recomputed values, which follow RAW_VALUES. */
    VALUE_LISTED_SCALES,       /* Scales of the values of listed slots. */
    VALUE_PACKED,              /* compressed rows (compressed.c) */
    CACHE_VALUES
};

/* Numbers are names, as in enum operation_kind. */
#define CACHE_OPERATION_LIST(X)                                                                    \
    /* A cache whose slots a policy gives out (slots.c). */                                        \
    X(SNAPSHOT)    /* the tables the layer reads while the policy changes them */                  \
    X(EVICT)       /* Adds the arriving token's scores to importance, and chooses the victim. */   \
    X(ACCUMULATE)  /* Prefill: adds a chunk's scores to importance. */                             \
    X(INVALIDATE)  /* rows nobody will read need not be refreshed */                               \
    X(SELECT)      /* After a prefill: selects the tokens to keep. */                              \
    X(GATHER_KEYS) /* Gathers these tokens into their slots. */                                    \
    X(GATHER_VALUES)                                                                               \
    X(GATHER_KEY_SCALES)                                                                           \
    X(GATHER_VALUE_SCALES)                                                                         \
    X(RESET_TABLES)                                                                                \
    X(RESET_NEXT)                                                                                  \
    X(RESET_IMPORTANCE)                                                                            \
    /* Arriving keys and values that are staged until they have been used (staging.c). */          \
    X(STAGE_SLOTS)    /* records where they are to be stored afterwards */                         \
    X(SKIP_STORED)    /* Skips tokens that are stored as inputs. */                                \
    X(REDIRECT)       /* readers find them where they are staged */                                \
    X(UNDIRECT)       /* Removes the redirection. */                                               \
    X(WRITE_BACK_KEY) /* into their slot, after use */                                             \
    X(WRITE_BACK_VALUE)                                                                            \
    X(RESET_REDIRECT)                                                                              \
    /* Layer inputs that stand for keys and values (kelle/inputs.c). */                            \
    X(STORE_INPUT) /* the arriving token's layer input, if the token gets a row */                 \
    X(STORE_INPUT_SCALE)                                                                           \
    X(FETCH_INPUTS) /* Fetches stored inputs to the rows after those of the arriving tokens. */    \
    X(FETCH_INPUT_SCALES)                                                                          \
    X(READ_INPUTS)   /* stored inputs, where recomputing from them is counted as free */           \
    X(RECOMPUTE_KEY) /* Like STORE_KEY, from fetched inputs into STAGED_KEYS. */                   \
    X(RECOMPUTE_VALUE)                                                                             \
    X(POPULAR) /* After SELECT: selects the kept tokens that are stored as inputs. */              \
    X(GATHER_INPUTS)                                                                               \
    X(GATHER_INPUT_SCALES)                                                                         \
    X(RESET_HOLDERS)                                                                               \
    X(RESET_INPUTS) /* Rows of entries with fewer inputs are fetched, too, and must be written. */ \
    X(RESET_INPUT_SCALES)                                                                          \
    /* Refreshed memory that stands for what a sampled run leaves out (session/sampled.c). */      \
    X(FILL_KEYS) /* slots [fill_from, fill_to) */                                                  \
    X(FILL_VALUES)                                                                                 \
    X(FILL_VIEWS) /* Fills views, half of them with high scores. */                                \
    /* A cache whose slots are given out by votes (voting.c). */                                   \
    X(VOTE)            /* Casts the arriving tokens' votes, or a chunk's in a prefill. */          \
    X(ELECT)           /* Elects the victim. */                                                    \
    X(SELECT_BY_VOTES) /* After a prefill: selects the tokens to keep. */                          \
    /* A cache with attention to the nearest tokens (retrieval.c). Proxies count as TABLES, the    \
     * list of slots that the layer reads counts as their SNAPSHOT. */                             \
    X(WRITE_PROXIES)   /* Writes proxies of the arriving keys. */                                  \
    X(SEARCH)          /* Lists the slots that the arriving tokens attend to. */                   \
    X(LIST_KEY_SCALES) /* Copies the scales of these slots into a list. */                         \
    X(LIST_VALUE_SCALES)                                                                           \
    /* A cache of compressed rows (compressed.c). */                                               \
    X(EXPAND_KEYS) /* Expands the cached tokens for the layer that needs them. */                  \
    X(EXPAND_VALUES)                                                                               \
    X(COMPRESS_KEYS) /* Compresses the arriving tokens. */                                         \
    X(COMPRESS_VALUES)                                                                             \
    X(COMPRESS_PREFILL_KEYS) /* Compresses a whole prompt. */                                      \
    X(COMPRESS_PREFILL_VALUES)                                                                     \
    X(RESET_LEVELS)                                                                                \
    X(MARK_LOCAL) /* Rows of a local layer count as high-score ones, since its tokens have no      \
                   * scores. */

enum cache_operation {
    CACHE_OPERATIONS_BEGIN = LLM_OPERATIONS - 1,
#define OPERATION_NUMBER(name) OPERATION_##name,
    CACHE_OPERATION_LIST(OPERATION_NUMBER) CACHE_OPERATIONS
#undef OPERATION_NUMBER
};
