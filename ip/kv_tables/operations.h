// SPDX-License-Identifier: Apache-2.0
/* Operations on the tables of the KV cache: the token in each slot of each head, its importance
 * and its eviction (plain C, shared with firmware). */
#pragma once

#include "core/abi/descriptor.h"

#define LEVEE_SE_NONE 0xFFFFFFFFu /* Marks an empty slot or row in tables. */

enum levee_se_opcode {
    LEVEE_SE_ACCUMULATE = 1, /* Prefill: adds the scores of all rows to the importance of tokens. */
    LEVEE_SE_EVICT =
        2, /* Decode: adds the arriving token's scores; chooses a victim if the cache overflows. */
    LEVEE_SE_SELECT = 3,  /* After prefill: selects the tokens that each head keeps. */
    LEVEE_SE_POPULAR = 4, /* After SELECT: selects the kept tokens that are stored as layer
                           * inputs. */
    LEVEE_SE_FORGET = 5   /* After EVICT and attention: discards rows that are no longer read. */
};

/* Importance is a 16-bit saturating sum of scores. Scores are converted from FP32 to the nearest
 * value of one of these formats, ties to even. */
enum levee_se_score {
    LEVEE_SE_SOFTMAX = 0, /* unsigned Q2.14 */
    LEVEE_SE_LOGIT = 1    /* signed Q8.8 */
};

/* levee_se_operation.flags */
#define LEVEE_SE_CAUSAL 0x1u /* ACCUMULATE: row r has scores for length - rows + 1 + r tokens */
/* EVICT, SELECT: unprotected tokens are ranked by a hash of (seed, o0, o1, position) instead of
 * by importance, for comparison. A token keeps its rank. */
#define LEVEE_SE_RANDOM 0x2u
/* EVICT, SELECT: the last `window` tokens become LEVEE_SE_VIEW_HIGH before any others; the
 * number of high tokens does not change. */
#define LEVEE_SE_RECENT_HIGH 0x4u
/* EVICT and SELECT with RANDOM: EVICT's hash also includes `now`, so that each eviction draws new
 * ranks. SELECT always draws once. */
#define LEVEE_SE_REDRAW 0x8u

/* Tables contain 32-bit words unless stated otherwise. There is one element for each (o0 = batch
 * entry, o1 = KV head), at base + o0 * stride[0] + o1 * stride[1]. Tables "per slot" have a
 * contiguous run of elements at this address.
 *
 * EVICT, for each (o0, o1): the word at `lengths` is n, the number of valid slots, including
 * `arrival`, the slot of the arriving token. The token's position t is the word at `now`.
 * importance[i] += scores[i] of all `group` rows, for i < n; the importance of the arriving token
 * starts from 0. positions[arrival] = t. If n <= capacity, next = n. Otherwise the least important
 * token with sinks <= position <= t - window is evicted, and `next` is its slot. Of equally
 * important tokens, the lowest slot is evicted, or the earliest token if the block compares
 * positions. If no token may be evicted, the error is LEVEE_ERROR_FIELD. With a reach, a token that
 * the next one does not attend to (position <= t + 1 - reach) is evicted first, even if it is
 * protected. The victim's key and value rows stay valid until FORGET, because they may still be in
 * use.
 *
 * FORGET, for each (o0, o1), uses the tables that EVICT has written, and the same `lengths` and
 * `arrival` as EVICT. If n > capacity, the key and value rows of slot `next` are discarded in
 * memory. With formats, the rows of slot `arrival` are also discarded if redirect[arrival] is not
 * NONE, because that token is stored as its layer input.
 *
 * SELECT works on as many tokens as the word at `lengths` states, with importance scores[0 ..
 * length) by position. It keeps the first `sinks`, the last `window`, and then the most important
 * other tokens (ties: the earliest) until `capacity` are kept. With a reach, if there are more than
 * `capacity` tokens, it keeps only tokens that the next token attends to (position > length -
 * reach). Kept tokens become slots 0, 1, ... in order of position. positions, importance and
 * `gather` (= positions) are written; next = number kept. lengths does not change. */
struct levee_se_operation {
    uint64_t scores;     /* FP32 [o0][o1][group * rows][n], a stream port, or 0: no scores are
                            added. The rows of a group are ordered head by head, with `rows` tokens
                            each. SELECT: importance by position, 16 bit [o0][o1][length] */
    uint64_t importance; /* 16 bit, per slot */
    uint64_t positions;  /* per slot */
    uint64_t gather;     /* SELECT, POPULAR: per slot; same strides as positions */
    uint64_t lengths;    /* by o0; ACCUMULATE: 0 means n for all */
    uint64_t now;        /* EVICT: position of the arriving token, by o0 */
    uint64_t arrival;    /* EVICT: slot of the arriving token, by (o0, o1); may be the table `next`
                            of the previous step. FORGET: needed with formats, in another table,
                            because EVICT overwrites `next` */
    uint64_t next;       /* slot of the next token, by (o0, o1). An output; for FORGET and
                            POPULAR an input */
    uint64_t views;      /* output, one byte per slot: LEVEE_SE_VIEW_*; 0: none */
    union {
        uint64_t keys;  /* FORGET: key rows to discard, kv_row_bytes apart; 0: none */
        uint64_t reach; /* EVICT, SELECT: number of latest tokens that attention covers; 0: all */
    };
    uint64_t values;  /* value rows, with the same strides as keys */
    uint64_t formats; /* struct levee_se_formats; 0: every token is stored as key and value */
    int32_t scores_stride[3]; /* strides of o0, o1, row */
    int32_t importance_stride[2];
    int32_t positions_stride[2]; /* strides of o0 and o1, for positions and gather */
    int32_t views_stride[2];
    int32_t kv_stride[2];
    uint16_t table_stride[2]; /* lengths and now use only [0]; arrival and next use both */
    uint16_t outer[2];        /* iterations of the outer loops o0 and o1, at least 1 */
    uint16_t rows;            /* ACCUMULATE: tokens; EVICT: 1 */
    uint16_t group;           /* query heads per KV head, at least 1 */
    uint32_t n;               /* elements of a row of scores, at least the greatest length */
    uint32_t capacity;        /* tokens that the cache keeps, N' */
    uint16_t sinks, window;
    uint16_t kv_row_bytes;
    uint8_t score; /* enum levee_se_score */
    uint8_t flags;
    uint8_t view_bits; /* 1 to 7: bits of a score in the register file, which is an importance
                          relative to the largest */
    uint8_t first_o1;  /* RANDOM: added to o1 in the hash */
    uint16_t first_o0;
    uint32_t seed; /* RANDOM: seed of the hash */
};

/* Entry of the eDRAM controller's register file: one byte per slot, written by EVICT and SELECT.
 * For LOGIT, the smallest importance is subtracted first. Then each importance is shifted left by
 * the number of leading zeros of the largest one. If tokens are equal, the lower slots are in the
 * upper half. */
#define LEVEE_SE_VIEW_SCORE                                                                        \
    0x7Fu /* score: the view_bits top bits of the importance, scaled by the largest */
#define LEVEE_SE_VIEW_HIGH                                                                         \
    0x80u /* 1: the score is in the upper half (rounded up) of the valid tokens of (o0, o1) */

/* Tokens that are stored as layer inputs (x) instead of keys and values (Kelle, section 4.1.2).
 * The struct is in memory, aligned to 8 bytes. Each batch entry has up to `rows` of these
 * tokens. An input row is in use as long as any head keeps its token.
 *
 * EVICT: the arriving token is stored in input row r = current[o0], unless that is LEVEE_SE_NONE.
 * Then for each head holders[r] += 1, redirect[arrival] = r, slot_of[r] = arrival and
 * x_positions[r] = t. Otherwise redirect[arrival] = NONE. When a head evicts a token that is stored
 * in x, the head releases the input row. When no head uses the row any more, it is discarded. All
 * reads for recomputation from the row must have completed before. redirect[next] = arrival_row.
 * Afterwards current[o0] is the lowest row that no head uses (or NONE), and used[o0] is 1 +
 * the highest row in use.
 *
 * POPULAR processes all heads of an entry in one operation. Candidates are the kept tokens (n is
 * the word at `next`, per head) that more than half of the heads keep. The `rows` tokens that
 * most heads keep (ties: the earliest) get input rows, in order of position. Their gather
 * entries become NONE; all tables above and x_gather are written. FORGET only reads redirect. */
struct levee_se_formats {
    uint64_t redirect;    /* per slot; same strides as positions */
    uint64_t slot_of;     /* [o0][o1][r]; NONE: this head does not use the row */
    uint64_t holders;     /* [o0][r]: number of heads that use the row */
    uint64_t x_positions; /* [o0][r] */
    uint64_t x_gather;    /* [o0][r]: POPULAR writes x_positions here, NONE for unused rows */
    uint64_t current;     /* [o0]: row for the next arriving token, or NONE */
    uint64_t used;        /* [o0]: 1 + the highest row in use */
    uint64_t x;           /* input rows [o0][r], to be discarded; 0: none */
    int32_t slot_of_stride[2];
    int32_t row_table_stride;   /* stride of o0, for holders, x_positions and x_gather */
    int32_t entry_table_stride; /* stride of o0, for current and used */
    int32_t x_stride[2];        /* strides of o0, r */
    uint32_t x_row_bytes;
    uint32_t rows;
    uint32_t arrival_row; /* value of redirect for the slot of the next token */
    uint32_t reserved;
};

#ifdef __cplusplus
static_assert(sizeof(levee_se_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_se_operation) <= 176, "must fit the descriptor");
#endif
