// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of the voting engine (VEDA, sections III and V; plain C, shared with
 * firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_VOTING_ENGINE 10u /* number of this block in boot_info */

#define LEVEE_VE_CAPACITY 0x80u /* RO  elements of the FIFO and of the vote buffer */

enum levee_ve_opcode {
    LEVEE_VE_VOTE = 1,
    LEVEE_VE_ELECT = 2, /* After VOTE, in a decode step: elects the slot for the next token. */
    LEVEE_VE_SELECT = 3 /* After a prefill: selects the tokens to keep. */
};

/* Limits of VOTE's factors. A factor may also be 0. */
#define LEVEE_VE_LEAST_FACTOR (1.0f / 1048576.0f)
#define LEVEE_VE_GREATEST_FACTOR 1048576.0f

/* Each table belongs to one layer. Votes are 16-bit saturating counters, one per slot, shared by
 * all heads. Other tables hold 32-bit words. Each table has one row for each o0 (batch entry),
 * table_stride bytes apart. Only `next` and `gather` also have a row for each head; the rows of
 * all heads are equal.
 *
 * VOTE, for each o0: vectors of probabilities arrive in the order of a softmax, [o1 = query
 * head][row]. Each has n elements; the first l = length - rows + 1 + row are valid. The
 * vector of the token at position t = now + row casts votes unless t < reserved. p is the
 * probability, rounded to FP16; NaN and negative values count as 0, values above 65504 as 65504.
 * In FP32:
 *
 *   mean = 1 / l, variance = max(0, (sum p^2) / l - mean^2), T = mean_factor * mean -
 *   deviation_factor * sqrt(variance)
 *
 * Each operation is rounded. The sum starts with the first element. Both factors are 0 or within
 * the limits above.
 *
 * Each valid slot with p < T gets a vote. If T < 0, only the slot with the smallest p gets a vote;
 * ties go to the earliest token. With `arrival`, the votes of the arriving token's slot are first
 * set to 0 and its position to `now`. Without positions (in a prefill), slot i has the token at
 * position i. With a reach, which only a prefill may have, the vector consists of the last min(l,
 * reach) elements; the earlier ones get no votes.
 *
 * ELECT, for each o0: n = length valid slots. If n <= capacity, next = n. Otherwise next is the
 * slot of the token with the most votes among the tokens at positions from `protect` on; ties go to
 * the earliest token. If there is no such token, the error is LEVEE_ERROR_FIELD. With a reach, a
 * token to which the next token does not attend (position <= now + 1 - reach) is evicted first,
 * even if it is protected.
 *
 * SELECT, for each o0, after a prefill of `length` tokens: of the tokens at positions from
 * `protect` on, those with the most votes are evicted, ties to the earliest, until `capacity` are
 * left. With a reach, tokens to which the next token does not attend (position <= length - reach)
 * are evicted first. The remaining tokens become slots 0, 1, ... in order of position: positions,
 * gather (= positions) and votes are written; next is the number of remaining tokens. If more than
 * `capacity` tokens are protected, the error is LEVEE_ERROR_FIELD.
 *
 * If a length is greater than CAPACITY, the error is LEVEE_ERROR_FIELD for the field `lengths`.
 * signal_every counts o0. */
struct levee_ve_operation {
    uint64_t probabilities; /* VOTE: FP32, a stream port, or memory [o0][o1][row][n] */
    uint64_t votes;         /* VOTE, ELECT: input and output; SELECT: output; per slot */
    uint64_t prefill_votes; /* SELECT: input, by position */
    uint64_t positions;     /* per slot; VOTE: 0 in a prefill */
    uint64_t gather;        /* SELECT: output, per slot */
    uint64_t lengths;       /* one word per o0; VOTE: 0 means n for all */
    uint64_t now;           /* VOTE, ELECT with a reach: one word per o0, the position of row 0 */
    uint64_t arrival;       /* VOTE: one word per o0; may be `next` of the previous step; 0: none */
    uint64_t next;          /* ELECT, SELECT: output, for each (o0, head) */
    int32_t probabilities_stride[3]; /* strides of o0, o1, row */
    int32_t votes_stride;            /* stride of o0 */
    int32_t prefill_votes_stride;
    int32_t positions_stride;
    int32_t gather_stride[2]; /* strides of o0, head */
    uint16_t word_stride;     /* stride of o0, for lengths and now */
    uint16_t arrival_stride;  /* stride of o0 */
    uint16_t next_stride[2];  /* strides of o0, head */
    uint16_t outer[2];        /* iterations of the outer loops: o0; o1, which counts query heads
                                 for VOTE, KV heads for ELECT and SELECT */
    uint16_t rows;            /* VOTE: tokens of each o0, at least 1 */
    uint16_t reserved;        /* R: the first R tokens of a sequence cast no votes */
    uint32_t protect;         /* ELECT and SELECT never evict the first `protect` positions */
    uint32_t n;               /* VOTE: elements of a vector, at least the greatest length */
    uint32_t capacity;        /* ELECT, SELECT: number of tokens kept */
    float mean_factor;        /* VOTE: factor of the mean */
    float deviation_factor;   /* VOTE: factor of the standard deviation */
    uint32_t reach;           /* number of latest tokens that attention covers, more than
                                 `capacity`; 0: all */
};

#ifdef __cplusplus
static_assert(sizeof(levee_ve_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_ve_operation) <= 176, "must fit the descriptor");
#endif
