// SPDX-License-Identifier: Apache-2.0
/* Voting engine (VEDA, sections III and V): registers and operations (plain C, shared with
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

/* Limits of a factor of VOTE that is not 0. */
#define LEVEE_VE_LEAST_FACTOR (1.0f / 1048576.0f)
#define LEVEE_VE_GREATEST_FACTOR 1048576.0f

/* Each table belongs to one layer. Votes are 16-bit saturating counters, one a slot, common to
 * all heads; other tables hold 32-bit words. Each has one row for each o0 (batch entry),
 * table_stride bytes apart by table; only `next` and `gather` have a row for each head, too, and
 * all heads' are alike.
 *
 * VOTE, for each o0: vectors of probabilities arrive in the order of a softmax, [o1 = query
 * head][row]. Each has n elements; the first l are valid: l = length - rows + 1 + row. A vector
 * of the token at position t = now + row casts votes unless t < reserved. With p rounded to FP16
 * (NaN and what is below 0 count as 0, what is above as 65504), in FP32:
 *
 *   mean = 1 / l, variance = max(0, (sum p^2) / l - mean^2), T = mean_factor * mean -
 *   deviation_factor * sqrt(variance)
 *
 * each operation rounded, the sum element by element from the first on. Both factors are 0 or
 * within the limits above.
 *
 * Each valid slot with p < T gets a vote; if T < 0, the slot of the smallest p, the earliest
 * token of several. With `arrival` the slot of the arriving token first gets 0 votes and
 * position `now`. Without positions (a prefill) slot i is the token at position i. With a reach,
 * in a prefill alone, the last min(l, reach) elements are the vector; those before get no votes.
 *
 * ELECT, for each o0: n = length valid slots. If n <= capacity, next = n; otherwise, of the
 * tokens at positions from `protect` on, the slot of the one with most votes, the earliest of
 * several. LEVEE_ERROR_FIELD if there is none. With a reach, a token that the next one does not
 * attend to (position <= now + 1 - reach) leaves before any other, protected or not.
 *
 * SELECT, for each o0, after a prefill of `length` tokens: those at positions from `protect` on
 * with most votes leave, the earliest of several first, until `capacity` are left. With a reach,
 * tokens that the next one does not attend to (position <= length - reach) leave before any other.
 * In order of position the tokens left become slots 0, 1, ...: positions, gather (= positions) and
 * votes are written; next = their number. LEVEE_ERROR_FIELD if more than `capacity` are protected.
 *
 * No length is greater than the CAPACITY register: LEVEE_ERROR_FIELD of `lengths`. signal_every
 * counts o0. */
struct levee_ve_operation {
    uint64_t probabilities; /* VOTE: FP32, a stream port, or memory [o0][o1][row][n] */
    uint64_t votes;         /* VOTE, ELECT: in and out; SELECT: out, per slot */
    uint64_t prefill_votes; /* SELECT: in, by position */
    uint64_t positions;     /* per slot; VOTE: 0 in a prefill */
    uint64_t gather;        /* SELECT */
    uint64_t lengths;       /* a word for each o0; VOTE: 0 = n for all */
    uint64_t now;           /* VOTE, ELECT with a reach: a word for each o0, position of row 0 */
    uint64_t arrival; /* VOTE: a word for each o0; may be `next` of the step before; 0: none */
    uint64_t next;    /* ELECT, SELECT: out, for each (o0, head) */
    int32_t probabilities_stride[3]; /* o0, o1, row */
    int32_t votes_stride;            /* o0 */
    int32_t prefill_votes_stride;
    int32_t positions_stride;
    int32_t gather_stride[2]; /* o0, head */
    uint16_t word_stride;     /* o0, of lengths and now */
    uint16_t arrival_stride;  /* o0 */
    uint16_t next_stride[2];  /* o0, head */
    uint16_t outer[2];        /* o0; VOTE: o1, query heads; ELECT, SELECT: key/value heads */
    uint16_t rows;            /* VOTE: tokens of each o0, at least 1 */
    uint16_t reserved;        /* R: the first tokens cast no votes */
    uint32_t protect;         /* first positions that neither ELECT nor SELECT takes */
    uint32_t n;               /* VOTE: elements of a vector; no length is greater */
    uint32_t capacity;        /* ELECT, SELECT: tokens kept */
    float mean_factor;        /* VOTE: a */
    float deviation_factor;   /* VOTE: b */
    uint32_t reach;           /* tokens that attention goes to, more than `capacity`; 0: all */
};

#ifdef __cplusplus
static_assert(sizeof(levee_ve_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_ve_operation) <= 176, "fits the descriptor");
#endif
