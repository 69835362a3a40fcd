// SPDX-License-Identifier: Apache-2.0
/* The keys of `kv_cache:` except `policy`. Each has a name, a meaning, a range, and the field of
 * the boot information that it sets. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the keys, in the order in which the keys are read. */
enum levee_kv_key_number {
    LEVEE_KV_KEY_BUDGET,
    LEVEE_KV_KEY_RECENT_WINDOW,
    LEVEE_KV_KEY_SINKS,
    LEVEE_KV_KEY_SCORE,
    LEVEE_KV_KEY_SEARCH,
    LEVEE_KV_KEY_VIEW_BITS,
    LEVEE_KV_KEY_RECENT_HIGH,
    LEVEE_KV_KEY_RECOMPUTE,
    LEVEE_KV_KEY_STAGING,
    LEVEE_KV_KEY_ACTIVATION_REFRESH,
    LEVEE_KV_KEY_REFRESH,
    LEVEE_KV_KEY_RATIO,
    LEVEE_KV_KEY_THRESHOLD,
    LEVEE_KV_KEY_RESERVED,
    LEVEE_KV_KEY_PROTECT,
    LEVEE_KV_KEY_RETRIEVAL,
    LEVEE_KV_KEY_CPQ,
    LEVEE_KV_KEY_BITS,
    LEVEE_KV_KEY_DRAW,
    LEVEE_KV_KEY_LAYERS,
    LEVEE_KV_KEY_HADAMARD,
    LEVEE_KV_KEYS
};
/* The bit that represents a key in a set of keys, as in LEVEE_KV_BIT(BUDGET). */
#define LEVEE_KV_BIT(key) (1u << LEVEE_KV_KEY_##key)

enum levee_kv_key_type {
    LEVEE_KV_TYPE_COUNT,   /* uint32_t */
    LEVEE_KV_TYPE_FLAG,    /* uint32_t: 0 or 1 */
    LEVEE_KV_TYPE_WORD,    /* uint32_t: an index into `words` */
    LEVEE_KV_TYPE_SIZE,    /* uint32_t, in bytes */
    LEVEE_KV_TYPE_TIME,    /* uint64_t, in ps */
    LEVEE_KV_TYPE_REAL,    /* float */
    LEVEE_KV_TYPE_SHARE,   /* uint32_t: in units of 2^-31, rounded down */
    LEVEE_KV_TYPE_LAYERS,  /* float: one number for all layers, or one for each layer */
    LEVEE_KV_TYPE_SECTION, /* a map with the keys in `keys` */
    LEVEE_KV_TYPE_OWN      /* a number that the platform itself uses; uint32_t if it has a field */
};

struct levee_kv_key {
    const char* name;
    const char* meaning; /* one sentence */
    enum levee_kv_key_type type;
    uint32_t required;               /* Nonzero: the key has no default. */
    uint32_t field;                  /* offset in struct levee_boot_info */
    double least, most, otherwise;   /* bounds and default value, in the field's unit */
    double smallest;                 /* nonzero: a number must be 0 or at least this value */
    const char* const* words;        /* the permitted words, ending with NULL */
    const struct levee_kv_key* keys; /* keys of the section, ending with a key without a name */
    uint32_t counts;                 /* LAYERS: offset of the field for the number of values */
    uint32_t announced; /* nonzero: if the policy does not use the key, a run prints a note and
                         * sets the key's fields to 0 */
    uint32_t decides_nothing; /* nonzero: the key affects neither which tokens are kept nor where
                               * tables are placed, so a run with another value can replay the
                               * recording */
    /* Name of data that a block derives from each token's key, or NULL. The block takes only
     * 16-bit keys, and sampled runs would omit these data. */
    const char* beside;
};

/* The keys, indexed by enum levee_kv_key_number. */
extern const struct levee_kv_key levee_kv_keys[LEVEE_KV_KEYS];

#ifdef __cplusplus
}
#endif
