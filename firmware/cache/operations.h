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
enum cache_operation {
    /* A cache whose slots a policy gives out (slots.c). */
    OPERATION_SNAPSHOT =
        LLM_OPERATIONS,    /* the tables the layer reads while the policy changes them */
    OPERATION_EVICT,       /* what the arriving token makes of importance, and who leaves */
    OPERATION_ACCUMULATE,  /* prefill: what a chunk of tokens makes of it */
    OPERATION_INVALIDATE,  /* rows nobody will read need not be refreshed */
    OPERATION_SELECT,      /* after a prefill: which tokens are kept */
    OPERATION_GATHER_KEYS, /* of those, into their slots */
    OPERATION_GATHER_VALUES,
    OPERATION_GATHER_KEY_SCALES,
    OPERATION_GATHER_VALUE_SCALES,
    OPERATION_RESET_TABLES,
    OPERATION_RESET_NEXT,
    OPERATION_RESET_IMPORTANCE,

    /* Arriving keys and values that are staged until they have been used (staging.c). */
    OPERATION_STAGE_SLOTS,    /* notes where they go afterwards */
    OPERATION_SKIP_STORED,    /* but not those that are stored as inputs */
    OPERATION_REDIRECT,       /* readers find them where they are staged */
    OPERATION_UNDIRECT,       /* and no longer */
    OPERATION_WRITE_BACK_KEY, /* into their slot, after use */
    OPERATION_WRITE_BACK_VALUE,
    OPERATION_RESET_REDIRECT,

    /* Layer inputs that stand for keys and values (kelle/inputs.c). */
    OPERATION_STORE_INPUT, /* the arriving token's layer input, if the token gets a row */
    OPERATION_STORE_INPUT_SCALE,
    OPERATION_FETCH_INPUTS, /* stored inputs, behind the arriving tokens' */
    OPERATION_FETCH_INPUT_SCALES,
    OPERATION_READ_INPUTS,   /* stored inputs, where recomputing from them is counted as free */
    OPERATION_RECOMPUTE_KEY, /* as STORE_KEY, of fetched inputs, into STAGED_KEYS */
    OPERATION_RECOMPUTE_VALUE,
    OPERATION_POPULAR, /* after SELECT: which kept tokens are stored as inputs */
    OPERATION_GATHER_INPUTS,
    OPERATION_GATHER_INPUT_SCALES,
    OPERATION_RESET_HOLDERS,
    OPERATION_RESET_INPUTS, /* rows of entries that have fewer are fetched, too: they must be valid
                             */
    OPERATION_RESET_INPUT_SCALES,

    /* Refreshed memory that stands for what a sampled run leaves out (session/sampled.c). */
    OPERATION_FILL_KEYS, /* slots [fill_from, fill_to) */
    OPERATION_FILL_VALUES,
    OPERATION_FILL_VIEWS, /* of which half are high-score ones */

    /* A cache whose slots are given out by votes (voting.c). */
    OPERATION_VOTE,            /* what the arriving tokens vote; of a prefill, what a chunk does */
    OPERATION_ELECT,           /* and who leaves */
    OPERATION_SELECT_BY_VOTES, /* after a prefill: which tokens are kept */

    /* A cache of which attention reads the nearest (retrieval.c). Proxies count as TABLES, the list
     * of slots that the layer reads as their SNAPSHOT. */
    OPERATION_WRITE_PROXIES,   /* of the arriving keys */
    OPERATION_SEARCH,          /* which slots the arriving tokens attend to */
    OPERATION_LIST_KEY_SCALES, /* of these slots, one after another */
    OPERATION_LIST_VALUE_SCALES,

    /* A cache of compressed rows (compressed.c). */
    OPERATION_EXPAND_KEYS, /* of the cached tokens, for the layer that needs them */
    OPERATION_EXPAND_VALUES,
    OPERATION_COMPRESS_KEYS, /* of the arriving tokens */
    OPERATION_COMPRESS_VALUES,
    OPERATION_COMPRESS_PREFILL_KEYS, /* of a whole prompt */
    OPERATION_COMPRESS_PREFILL_VALUES,
    OPERATION_RESET_LEVELS,
    CACHE_OPERATIONS
};
