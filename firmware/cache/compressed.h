// SPDX-License-Identifier: Apache-2.0
/* Cache of compressed rows (Titanus, section IV): all keys (or values) of a token in one layer
 * form one packed row. Attention reads the expanded rows of its layer, from one place for all
 * layers; the arriving token's own vectors are uncompressed. A prefill has its own cache, which
 * is compressed as a whole at its end. With a policy that evicts, rows are numbered by slot, and
 * only the kept part of a prefill is compressed. */
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
    uint32_t row_bytes[COMPRESSED_KINDS]; /* largest size of a row */
    uint64_t expanded[COMPRESSED_KINDS];  /* [batch][G][slots][D] of the running layer */
    uint64_t scales[COMPRESSED_KINDS];    /* FP32 [batch][G][slots], unless not `scaled` */
};

extern const struct cache_hooks compressed_hooks;

/* Expanded rows of the pass's entries, as a single part for any layer. */
struct slices compressed_slices(const struct cache* cache, const struct pass* pass);
