// SPDX-License-Identifier: Apache-2.0
/* Operations on the KV cache's tables: the token in each slot of each head, its importance, and
 * its eviction (plain C, shared with firmware). */
#pragma once

#include "core/abi/descriptor.h"

#define LEVEE_SE_NONE 0xFFFFFFFFu /* No slot or row, in tables. */

enum levee_se_opcode {
    LEVEE_SE_ACCUMULATE = 1, /* add all rows' scores to the tokens' importance (prefill) */
    LEVEE_SE_EVICT =
        2, /* add the arriving token's rows; if the cache overflows, choose who leaves */
    LEVEE_SE_SELECT = 3,  /* After prefill: selects the tokens that each head keeps. */
    LEVEE_SE_POPULAR = 4, /* After SELECT: selects the kept tokens that are stored as layer
                           * inputs. */
    LEVEE_SE_FORGET = 5   /* After EVICT and attention: discards rows that are no longer read. */
};

/* Importance is a 16-bit saturating sum of scores, converted from FP32 to nearest, ties to even. */
enum levee_se_score {
    LEVEE_SE_SOFTMAX = 0, /* unsigned Q2.14 */
    LEVEE_SE_LOGIT = 1    /* signed Q8.8 */
};

/* levee_se_operation.flags */
#define LEVEE_SE_CAUSAL 0x1u /* ACCUMULATE: row r of `rows` sees length - rows + 1 + r tokens */
/* EVICT, SELECT: unprotected tokens rank by a hash of (seed, o0, o1, position) instead of by
 * importance, for comparison. A token's rank is for life. */
#define LEVEE_SE_RANDOM 0x2u
/* EVICT, SELECT: the last `window` tokens come first among those that are LEVEE_SE_VIEW_HIGH;
 * the number of high ones is unchanged. */
#define LEVEE_SE_RECENT_HIGH 0x4u
/* EVICT and SELECT with RANDOM: EVICT's hash includes `now`, so that each eviction draws a new
 * victim. SELECT draws once in either case. */
#define LEVEE_SE_REDRAW 0x8u

/* Tables of 32-bit words unless said otherwise, one element for each (o0 = batch entry, o1 = KV
 * head) at base + o0 * stride[0] + o1 * stride[1]; those "per slot" hold contiguous elements.
 *
 * EVICT, for each (o0, o1): n = lengths word valid slots, the arriving token's `arrival` slot
 * among them, at position t = now word. importance[i] += scores of all `group` rows, for i < n;
 * the arriving token starts with its own. positions[arrival] = t. If n <= capacity, next = n.
 * Otherwise the least important token with sinks <= position <= t - window is evicted (ties: the
 * lowest slot, or the earliest token if the block's rows have positions), and next is its slot;
 * LEVEE_ERROR_FIELD if there is none. With a reach, a token that the next one does not attend to
 * (position <= t + 1 - reach) is evicted before any other, even if it is protected. Its key and
 * value rows stay valid until FORGET: they may still be in use.
 *
 * FORGET, for each (o0, o1), with the tables as EVICT has left them and the words `lengths` and
 * `arrival` it was given: if n = lengths word > capacity, the key and value rows of slot `next`
 * are discarded in memory; with formats, so are those of slot `arrival` if redirect[arrival] is
 * not NONE: its token is stored as its layer input.
 *
 * SELECT works on lengths word tokens with importance scores[0 .. length) by position. It keeps
 * the first `sinks`, the last `window`, and the most important of the others (ties: the
 * earliest) until `capacity` are kept. With a reach, none of more than `capacity` tokens is kept
 * that the next one does not attend to (position <= length - reach). In order of position they
 * become slots 0, 1, ...: positions, importance and `gather` (= positions) are written; next =
 * number kept. lengths is not changed. */
struct levee_se_operation {
    uint64_t scores;     /* FP32 [o0][o1][group * rows][n], a stream port, or 0: none are added.
                            A group's rows: head by head, each its `rows` tokens.
                            SELECT: the importance by position, 16 bit [o0][o1][length] */
    uint64_t importance; /* 16 bit, per slot */
    uint64_t positions;  /* Importance by slot. */
    uint64_t gather;     /* SELECT, POPULAR: per slot; strides of positions */
    uint64_t lengths;    /* Lengths by o0; ACCUMULATE: 0 = n for all. */
    uint64_t now;        /* EVICT: per o0 */
    uint64_t arrival;    /* EVICT: per (o0, o1); may be `next` of the step before. FORGET: with
                            formats; EVICT has overwritten `next` by then */
    uint64_t next;       /* out, per (o0, o1): slot of the next token; FORGET, POPULAR: in */
    uint64_t views;      /* out, bytes per slot: LEVEE_SE_VIEW_*; 0: none */
    union {
        uint64_t keys;  /* FORGET: rows to discard, kv_row_bytes apart; 0: none */
        uint64_t reach; /* EVICT, SELECT: tokens that attention goes to; 0: all */
    };
    uint64_t values;  /* Values, with the same strides as keys. */
    uint64_t formats; /* struct levee_se_formats; 0: every token is stored as keys and values */
    int32_t scores_stride[3]; /* o0, o1, row */
    int32_t importance_stride[2];
    int32_t positions_stride[2]; /* Strides of positions, also of gather. */
    int32_t views_stride[2];
    int32_t kv_stride[2];
    uint16_t table_stride[2]; /* lengths and now: [0] only; arrival, next: both */
    uint16_t outer[2];        /* o0, o1: at least 1 */
    uint16_t rows;            /* ACCUMULATE: tokens; EVICT: 1 */
    uint16_t group;           /* query heads of one KV head, at least 1 */
    uint32_t n;               /* elements of a row of scores; no length is greater */
    uint32_t capacity;        /* tokens kept, N' */
    uint16_t sinks, window;
    uint16_t kv_row_bytes;
    uint8_t score; /* enum levee_se_score */
    uint8_t flags;
    uint8_t view_bits; /* 1 to 7: of an importance, normalised by the largest: its register file
                          entry */
    uint8_t first_o1;  /* RANDOM: first o0 and o1 for the hash. */
    uint16_t first_o0;
    uint32_t seed; /* RANDOM */
};

/* A register file entry of the eDRAM controller: one per slot, written by EVICT and SELECT. */
#define LEVEE_SE_VIEW_SCORE                                                                        \
    0x7Fu /* importance, its view_bits top bits once the largest one's                             \
             leading zeros are shifted out (LOGIT: less the smallest) */
#define LEVEE_SE_VIEW_HIGH                                                                         \
    0x80u /* among the upper half (rounded up) of the valid tokens of this                         \
             (o0, o1) by that score, ties to the lower slot: HST */

/* Tokens that are stored as layer inputs (x) instead of keys and values (section 4.1.2); in
 * memory, 8-byte aligned. Each batch entry has up to `rows` of them; input row r of an entry
 * holds a token as long as any head keeps it.
 *
 * EVICT: the arriving token is stored in input row current[o0], unless that is LEVEE_SE_NONE:
 * then holders[r] += 1 for each head, redirect[arrival] = r, slot_of[r] = arrival and
 * x_positions[r] = t; otherwise redirect[arrival] = NONE. A victim in x gives its head's hold
 * up; when no head is left, the input row is discarded (what is recomputed from it must have
 * been read). redirect[next] = arrival_row. Afterwards current[o0] = the lowest row without
 * holders (or NONE) and used[o0] = 1 + the highest one with holders. POPULAR: all heads of an
 * entry in one operation; of the kept tokens (n = next word, per head) that strictly more than
 * half of the heads keep, the `rows` most widely kept (ties: the earliest) get input rows in
 * order of position. Their gather entries become NONE; everything above is written, x_gather
 * too. FORGET reads redirect only. */
struct levee_se_formats {
    uint64_t redirect;    /* Redirections by slot; strides of positions. */
    uint64_t slot_of;     /* [o0][o1][r]; NONE: this head does not hold it */
    uint64_t holders;     /* [o0][r]: heads that hold it */
    uint64_t x_positions; /* [o0][r] */
    uint64_t x_gather;    /* [o0][r]: POPULAR: = x_positions, NONE where unused */
    uint64_t current;     /* [o0] */
    uint64_t used;        /* [o0] */
    uint64_t x;           /* input rows [o0][r], to discard; 0: none */
    int32_t slot_of_stride[2];
    int32_t row_table_stride;   /* o0: holders, x_positions, x_gather */
    int32_t entry_table_stride; /* o0: current, used */
    int32_t x_stride[2];        /* o0, r */
    uint32_t x_row_bytes;
    uint32_t rows;
    uint32_t arrival_row; /* the row in redirect for the slot of the next token */
    uint32_t reserved;
};

#ifdef __cplusplus
static_assert(sizeof(levee_se_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_se_operation) <= 176, "fits the descriptor");
#endif
