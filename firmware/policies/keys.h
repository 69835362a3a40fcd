// SPDX-License-Identifier: Apache-2.0
/* The keys of `kv_cache:` other than `policy`: name, meaning, range, and the field of boot
 * information that each fills. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keys in the order of reading. */
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
    LEVEE_KV_KEYS
};
/* A key in a set of them, as in LEVEE_KV_BIT(BUDGET). */
#define LEVEE_KV_BIT(key) (1u << LEVEE_KV_KEY_##key)

enum levee_kv_key_type {
    LEVEE_KV_TYPE_COUNT,   /* uint32_t */
    LEVEE_KV_TYPE_FLAG,    /* uint32_t: 0 or 1 */
    LEVEE_KV_TYPE_WORD,    /* uint32_t: the index among `words` */
    LEVEE_KV_TYPE_SIZE,    /* uint32_t: bytes */
    LEVEE_KV_TYPE_TIME,    /* uint64_t: ps */
    LEVEE_KV_TYPE_REAL,    /* float */
    LEVEE_KV_TYPE_SHARE,   /* uint32_t: 2^-31sts, rounded down */
    LEVEE_KV_TYPE_LAYERS,  /* Like LEVEE_KV_TYPE_REAL: one number, or one for each layer. */
    LEVEE_KV_TYPE_SECTION, /* a map of `keys` */
    LEVEE_KV_TYPE_OWN      /* a number that the platform itself reads; uint32_t if it has a field */
};

struct levee_kv_key {
    const char* name;
    const char* meaning; /* one sentence */
    enum levee_kv_key_type type;
    uint32_t required;               /* Nonzero: the key has no default. */
    uint32_t field;                  /* offset in struct levee_boot_info */
    double least, most, otherwise;   /* bounds and default, in the field's unit */
    double smallest;                 /* Nonzero: a number is 0 or at least this value. */
    const char* const* words;        /* up to a NULL */
    const struct levee_kv_key* keys; /* up to one without a name */
    uint32_t counts;                 /* LAYERS: offset of the field with their number */
    uint32_t announced; /* Nonzero: if the policy does not use the key, a run prints a note, and
                         * the key's fields are 0. */
    uint32_t decides_nothing; /* Nonzero: the key affects neither the kept tokens nor the places
                               * of tables, so a recording with another value may be replayed. */
    /* Data that its block derives from each token's key, or NULL. The block takes keys of 16
     * bits, and a sampled run would leave out these data. */
    const char* beside;
};

/* Keys by enum levee_kv_key_number. */
extern const struct levee_kv_key levee_kv_keys[LEVEE_KV_KEYS];

#ifdef __cplusplus
}
#endif
