// SPDX-License-Identifier: Apache-2.0
/* What caches add to the transformer's operations, and the values they add them for. A cache knows
 * what is done to its tables, not who does it: the target's table says that. */
#pragma once

#include "firmware/llm/operation.h"

/* N' = the cache's slots but the spare one; R = the rows of stored inputs of an entry. */
enum cache_value {
    VALUE_TABLES = LLM_VALUES, /* which slot is whose */
    VALUE_SNAPSHOT,            /* of what a layer reads of them while the policy changes them */
    VALUE_STAGED_KEYS,         /* [entries][G][R + 1][D]: recomputed, and last the arriving */
    VALUE_STAGED_VALUES,       /* likewise */
    VALUE_IMPORTANCE,          /* of the tokens of a prefill, or votes against them */
    VALUE_GATHER,              /* which of them are kept */
    VALUE_INPUTS,              /* [entries][R][dim]: stored layer inputs (cache/kelle) */
    VALUE_RECOMPUTE_INPUTS,    /* [entries][R][dim], behind NORMED */
    VALUE_RECOMPUTED_KEYS,     /* [entries][R][G * D], behind RAW_KEYS */
    VALUE_RECOMPUTED_VALUES,   /* likewise, behind RAW_VALUES */
    VALUE_LISTED_SCALES,       /* of the values of listed slots */
    VALUE_PACKED,              /* compressed rows (compressed.c) */
    CACHE_VALUES
};

/* Numbers are names, as in enum operation_kind. */
#define CACHE_OPERATION_LIST(X)                                                                    \
    /* A cache whose slots a policy gives out (slots.c). */                                        \
    X(SNAPSHOT)    /* the tables the layer reads while the policy changes them */                  \
    X(EVICT)       /* what the arriving token makes of importance, and who leaves */               \
    X(ACCUMULATE)  /* prefill: what a chunk of tokens makes of it */                               \
    X(INVALIDATE)  /* rows nobody will read need not be refreshed */                               \
    X(SELECT)      /* after a prefill: which tokens are kept */                                    \
    X(GATHER_KEYS) /* of those, into their slots */                                                \
    X(GATHER_VALUES)                                                                               \
    X(GATHER_KEY_SCALES)                                                                           \
    X(GATHER_VALUE_SCALES)                                                                         \
    X(RESET_TABLES)                                                                                \
    X(RESET_NEXT)                                                                                  \
    X(RESET_IMPORTANCE)                                                                            \
    /* Arriving keys and values that are staged until they have been used (staging.c). */          \
    X(STAGE_SLOTS)    /* notes where they go afterwards */                                         \
    X(SKIP_STORED)    /* but not those that are stored as inputs */                                \
    X(REDIRECT)       /* readers find them where they are staged */                                \
    X(UNDIRECT)       /* and no longer */                                                          \
    X(WRITE_BACK_KEY) /* into their slot, after use */                                             \
    X(WRITE_BACK_VALUE)                                                                            \
    X(RESET_REDIRECT)                                                                              \
    /* Layer inputs that stand for keys and values (kelle/inputs.c). */                            \
    X(STORE_INPUT) /* the arriving token's layer input, if the token gets a row */                 \
    X(STORE_INPUT_SCALE)                                                                           \
    X(FETCH_INPUTS) /* stored inputs, behind the arriving tokens' */                               \
    X(FETCH_INPUT_SCALES)                                                                          \
    X(READ_INPUTS)   /* stored inputs, where recomputing from them is counted as free */           \
    X(RECOMPUTE_KEY) /* as STORE_KEY, of fetched inputs, into STAGED_KEYS */                       \
    X(RECOMPUTE_VALUE)                                                                             \
    X(POPULAR) /* after SELECT: which kept tokens are stored as inputs */                          \
    X(GATHER_INPUTS)                                                                               \
    X(GATHER_INPUT_SCALES)                                                                         \
    X(RESET_HOLDERS)                                                                               \
    X(RESET_INPUTS) /* rows of entries that have fewer are fetched, too, and must be written */    \
    X(RESET_INPUT_SCALES)                                                                          \
    /* Refreshed memory that stands for what a sampled run leaves out (session/sampled.c). */      \
    X(FILL_KEYS) /* slots [fill_from, fill_to) */                                                  \
    X(FILL_VALUES)                                                                                 \
    X(FILL_VIEWS) /* of which half are high-score ones */                                          \
    /* A cache whose slots are given out by votes (voting.c). */                                   \
    X(VOTE)            /* what the arriving tokens vote; of a prefill, what a chunk does */        \
    X(ELECT)           /* and who leaves */                                                        \
    X(SELECT_BY_VOTES) /* after a prefill: which tokens are kept */                                \
    /* A cache of which attention reads the nearest (retrieval.c). Proxies count as TABLES, the    \
       list of slots that the layer reads as their SNAPSHOT. */                                    \
    X(WRITE_PROXIES)   /* of the arriving keys */                                                  \
    X(SEARCH)          /* which slots the arriving tokens attend to */                             \
    X(LIST_KEY_SCALES) /* of these slots, one after another */                                     \
    X(LIST_VALUE_SCALES)                                                                           \
    /* A cache of compressed rows (compressed.c). */                                               \
    X(EXPAND_KEYS) /* of the cached tokens, for the layer that needs them */                       \
    X(EXPAND_VALUES)                                                                               \
    X(COMPRESS_KEYS) /* of the arriving tokens */                                                  \
    X(COMPRESS_VALUES)                                                                             \
    X(COMPRESS_PREFILL_KEYS) /* of a whole prompt */                                               \
    X(COMPRESS_PREFILL_VALUES)                                                                     \
    X(RESET_LEVELS)                                                                                \
    X(MARK_LOCAL) /* rows of a local layer count as high-score ones: nobody weighs its tokens */

enum cache_operation {
    CACHE_OPERATIONS_BEGIN = LLM_OPERATIONS - 1,
#define OPERATION_NUMBER(name) OPERATION_##name,
    CACHE_OPERATION_LIST(OPERATION_NUMBER) CACHE_OPERATIONS
#undef OPERATION_NUMBER
};
