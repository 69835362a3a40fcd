// SPDX-License-Identifier: Apache-2.0
/* Running a batch of sequences: prefill in chunks, then decode step by step. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/llm/model.h"
#include "firmware/target/issue.h"

#include <stdbool.h>
#include <stdint.h>

/* What is asked of the logits. */
enum session_mode {
    SESSION_GENERATE, /* the next token, of each sequence's last row; as workload.sampling says */
    SESSION_SCORE     /* of every row, the log-probability of the token that follows in the text */
};

/* One sequence of the running batch. */
struct entry {
    struct levee_sequence sequence;
    uint32_t index;    /* in the workload */
    uint32_t position; /* of the token that goes through the model next */
    bool active;       /* takes part in the next step for real; others repeat their last one */
};

struct session {
    const struct levee_workload* workload;
    enum session_mode mode;
    struct model model;
    struct policy policy;
    struct machine machine;
    struct placement placement;
    struct units units;
    struct lowering lowering, prefill_lowering;
    struct issuer issuer;
    struct program prefill, decode;
    struct program between; /* passes */

    struct entry* entries; /* workload.batch of them */
    uint32_t count;        /* of the running batch */
    uint32_t passes;       /* so far: mixed into the sampling seed */
    uint32_t chunks;       /* of the running batch's prefill, so far */
    uint32_t steps;        /* of its decoding, likewise */
    uint32_t samples_done; /* of workload.sample_steps, so far */
    struct pass step;      /* the running batch's next decode step */

    /* Tables the blocks read and write, one element per entry. */
    uint32_t* positions;
    uint32_t* lengths;
    uint32_t* slots;
    uint32_t* now;     /* positions, but for inactive entries, which go on: the policy's time */
    uint32_t* written; /* slots that have been written before the step */
    uint32_t* listed;  /* of the lengths, what a decode step attends to */
    uint32_t* targets;
    struct pick* picks;
    struct pick* chunk_picks; /* SESSION_SCORE: per token of a prefill chunk */
    uint32_t* recomputed;     /* by layer: rows of stored inputs in use */
    uint64_t recomputed_rows; /* over all layers and steps */
};

/* Opens model, target and units for the workload. Ends the run if it cannot be run as asked. */
void session_open(struct session* session, enum session_mode mode);

/* Takes the sequences [first, first + count) of the workload, count at most workload.batch. */
void session_begin_batch(struct session* session, uint32_t first, uint32_t count);

/* Leaves an entry out: none of its tokens goes through the model, and steps compute for it, as for
 * a first token, what nobody reads. Call it between session_begin_batch and the first step. */
void session_leave_out(struct session* session, uint32_t entry);

/* Token `index` of the sequence, index < token_count. */
uint32_t session_token(const struct entry* entry, uint32_t index);

/* Puts tokens [position, position + rows) of the entry through the model, rows at most
 * placement.chunk, and waits. SESSION_SCORE: chunk_picks hold one pick per token, each against the
 * token after it, which must exist. SESSION_GENERATE: picks[entry] if `last`. */
void session_prefill(struct session* session, uint32_t entry, uint32_t rows, bool last);

/* One decode step of the whole batch: the token at each entry's position, read from the sequence
 * while that lasts, then what was picked last. start returns at once; finish sleeps until picks
 * hold the results and moves the active entries one position on. */
void session_start_step(struct session* session);
/* Starts a step likewise, outside the marked parts of the run. */
void session_start_unmarked_step(struct session* session);
void session_finish_step(struct session* session);

/* Call it when the batch's prefill is over, or its decoding, or something is left out. */
void session_end_part(const struct session* session);

/* For session/sampled.c: a pass of `entries` sequences from `first_entry` on; a list of operations
 * for the program between passes, and its run; what the policy keeps of an entry's prefill. */
struct pass session_pass(struct session* session, uint32_t first_entry, uint32_t entries,
                         uint32_t rows);
void session_list(struct session* session, const struct pass* pass, struct operation_list* list);
void session_run_listed(struct session* session);
void session_select_kept(struct session* session, uint32_t entry);

/* Reports what the model and each memory hold, and of the cache where that is limited or in memory
 * that is refreshed. */
void session_report(const struct session* session);

/* Most descriptors issued for one layer in one decode step; 0 if there was none. */
uint32_t session_descriptors_per_layer_step(const struct session* session);
