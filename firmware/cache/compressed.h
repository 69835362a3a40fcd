// SPDX-License-Identifier: Apache-2.0
/* A cache of compressed rows (Titanus, section IV). For each token and layer, the keys of all heads
 * form one packed row, and so do the values. Attention reads the expanded rows of its layer; all
 * layers use the same buffer for expanded rows. The arriving token's own vectors stay uncompressed.
 * A prefill has its own cache, which is compressed as a whole at its end. If the policy evicts
 * tokens, rows are numbered by slot, and only the kept tokens of a prefill are compressed. */
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
    uint32_t row_bytes[COMPRESSED_KINDS]; /* greatest size of a row */
    uint64_t expanded[COMPRESSED_KINDS];  /* [batch][G][slots][D] of the running layer, expanded */
    uint64_t scales[COMPRESSED_KINDS];    /* FP32 [batch][G][slots]; 0: not `scaled` */
};

extern const struct cache_hooks compressed_hooks;

/* Returns the expanded rows of the pass's entries. In every layer they form the only part. */
struct slices compressed_slices(const struct cache* cache, const struct pass* pass);
