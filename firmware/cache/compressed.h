// SPDX-License-Identifier: Apache-2.0
/* A cache of compressed rows (Titanus, section IV): the keys, or the values, of a token in one
 * layer are one packed row, all heads together. Attention reads what EXPAND has made of the rows of
 * its layer, in one place for all layers; the arriving token's own are there as they arrived. A
 * prefill has a cache of its own, compressed as a whole when it ends. Beside a policy that evicts,
 * rows are those of its slots, and of a prefill only what it keeps is compressed. */
#pragma once

#include <stdint.h>

struct cache;
struct cache_hooks;
struct pass;
struct slices;

enum { COMPRESSED_KEYS, COMPRESSED_VALUES, COMPRESSED_KINDS };

struct compressed {
    uint64_t packed[COMPRESSED_KINDS];    /* bytes [layer][batch][slots][row_bytes] */
    uint64_t records[COMPRESSED_KINDS];   /* struct levee_cpq_record [layer][batch][slots] */
    uint32_t row_bytes[COMPRESSED_KINDS]; /* the most that a row takes */
    uint64_t expanded[COMPRESSED_KINDS];  /* [batch][G][slots][D] of the running layer */
    uint64_t scales[COMPRESSED_KINDS];    /* FP32 [batch][G][slots], unless not `scaled` */
};

extern const struct cache_hooks compressed_hooks;

/* The expanded rows of the pass's entries, as the one part of any layer. */
struct slices compressed_slices(const struct cache* cache, const struct pass* pass);
