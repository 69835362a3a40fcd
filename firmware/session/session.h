// SPDX-License-Identifier: Apache-2.0
/* Runs a batch of sequences: prefill in chunks, then decode steps. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/llm/model.h"
#include "firmware/target/issue.h"

#include <stdbool.h>
#include <stdint.h>

/* Use of logits in a session. */
enum session_mode {
    SESSION_GENERATE, /* picks the next token from each sequence's last row, as workload.sampling
                         says */
    SESSION_SCORE     /* scores every row: the log-probability of the text's next token */
};

/* Factor for the seed of a draw. The seed is the seed of the workload or request, XOR the product
 * of the draw's number and this constant (Knuth's multiplicative hash, which spreads the number's
 * bits). */
#define SESSION_SEED_STEP 2654435761u

/* One sequence of the running batch. */
struct entry {
    struct levee_sequence sequence;
    uint32_t index;    /* index in the workload */
    uint32_t position; /* position of the token that the model processes next */
    bool active;       /* takes part in the next step; an inactive entry repeats its last step */
};

/* A variant of passes that executes some of the layers. A sampled run has several variants. Other
 * runs have one. */
struct way {
    struct layer_list layers;
    int32_t times; /* weight of a part that runs in this variant, in 1/LEVEE_MARK_ONCE */
    struct program prefill, decode;
};

/* A layer's share in a sampled run. PASSED: a variant executes the layer. EARLY: the layer's slots
 * are filled before a part stores there, and not after it. */
enum layer_share { LAYER_LEFT_OUT, LAYER_LEFT_OUT_EARLY, LAYER_PASSED, LAYER_PASSED_EARLY };

struct session {
    const struct levee_workload* workload;
    enum session_mode mode;
    struct model model;
    struct policy policy;
    struct machine machine;
    struct placement placement;
    struct units units;
    struct lowering lowering, prefill_lowering, verifying_lowering;
    struct operand verified_values[CACHE_VALUES];
    struct issuer issuer;
    struct way* ways;
    uint32_t way_count;
    struct way* way;        /* variant of the next passes */
    uint8_t* shares;        /* enum layer_share of each layer; NULL: passes execute all layers */
    struct program between; /* operations between passes */

    struct entry* entries;  /* workload.batch entries */
    uint32_t count;         /* entries of the running batch */
    uint32_t passes;        /* passes so far, which are mixed into the sampling seed */
    uint32_t chunks;        /* chunks of the running batch's prefill so far */
    uint32_t steps;         /* decode steps of the running batch so far */
    uint32_t samples_done;  /* samples of workload.sample_steps so far */
    struct pass step;       /* the running batch's next decode step */
    struct pass local_step; /* the step in local layers */

    /* Tables that blocks read and write. They have one element per entry. */
    uint32_t* positions;
    uint32_t* lengths;
    uint32_t* slots;
    uint32_t* now;     /* positions as the policy's time, which advance for inactive entries, too */
    uint32_t* written; /* slots that were written before the step */
    uint32_t* listed;  /* by length: number of tokens that a decode step attends to */
    uint32_t* targets;
    struct pick* picks;
    struct local_tables {
        uint32_t* lengths;
        uint32_t* slots;
        uint32_t* first;      /* position whose token takes slot 0 of the ring */
        uint32_t origin;      /* position of the first token in the prefill's own cache */
    } local;                  /* The same tables for local layers. */
    struct pick* chunk_picks; /* SESSION_SCORE and guesses: one pick per token of a prefill chunk */
    uint32_t* recomputed;     /* rows of stored inputs in use, by layer */
    uint64_t recomputed_rows; /* sum over all layers and steps */
};

/* Takes over the first session's running sequence, and begins with its first token. */
void session_begin_beside(struct session* session, const struct session* first);

/* Processes the next `rows` tokens of the second session's sequence, and waits. It picks no
 * token. */
void session_read_rows(struct session* session, uint32_t rows);

/* Takes the sequences [first, first + count) of the workload. `count` is at most workload.batch. */
void session_begin_batch(struct session* session, uint32_t first, uint32_t count);

/* Takes sequences [0, count) for serving requests. All entries are left out at first. */
void session_begin_serving(struct session* session, uint32_t count);

/* Gives each request its own seed and temperature (sampling by temperature). A draw then depends on
 * these and on the token's position, but not on the other requests in the batch. Call
 * session_open_seeds after session_begin_serving, session_seed_step before a step, and
 * session_seed_prefill before the last chunk of an entry's prefill. */
void session_open_seeds(struct session* session);
void session_seed_step(struct session* session);
void session_seed_prefill(struct session* session, uint32_t entry);

/* Puts sequence `number`, which `new_tokens` tokens will continue, into an entry that is left out.
 * Other entries may run steps between the chunks of its prefill, if session_set_aside() is called
 * after each chunk. The entry becomes active after the prefill. */
void session_take(struct session* session, uint32_t entry, uint32_t number, uint32_t new_tokens);
void session_set_aside(struct session* session, uint32_t entry);

/* Limits steps to the first `count` entries of the batch. `count` is at least one, and these
 * entries must include all active ones. By default, steps process all entries. */
void session_set_step_entries(struct session* session, uint32_t count);

/* Leaves an entry out: the model processes none of its tokens. Steps still compute data for it, as
 * they would for a first token, but nothing uses these data. Call it between session_begin_batch
 * and the first step, or when an entry has ended. */
void session_leave_out(struct session* session, uint32_t entry);

/* Returns token `index` of the sequence, index < token_count. */
uint32_t session_token(const struct entry* entry, uint32_t index);

/* Processes tokens [position, position + rows) of the entry, and waits. `rows` is at most
 * placement.chunk. In mode SESSION_SCORE, chunk_picks receive one pick per token. It predicts
 * the next token, which must exist. In mode SESSION_GENERATE, picks[entry] is set if
 * `last`. */
void session_prefill(struct session* session, uint32_t entry, uint32_t rows, bool last);

/* Runs one decode step of the whole batch. Each entry's token comes from its sequence or, after the
 * end of the sequence, from the last pick. session_start_step returns at once. session_finish_step
 * sleeps until the picks are written, and advances the active entries by one position. */
void session_start_step(struct session* session);
/* Like session_start_step, but outside the marked parts of the run. */
void session_start_unmarked_step(struct session* session);
/* Runs a step, and calls `meanwhile` while the units work. Afterwards the session's state is the
 * same as before, so another variant can run the same step. */
void session_try_step(struct session* session, void (*meanwhile)(void));
void session_finish_step(struct session* session);

/* Returns whether the token ends a text. */
bool session_ends_text(const struct session* session, uint32_t token);

/* Appends a token to the first entry's sequence. The platform has left space for it. */
void session_add_token(const struct session* session, uint32_t token);

/* session_forget releases the batch's cache, whose data then need no refresh. session_begin_again
 * empties the cache and makes all sequences start again with the first token. */
void session_forget(const struct session* session);
void session_begin_again(struct session* session);

/* Returns whether a prefill can continue at any position, using rows that are already in the cache.
 * It cannot if the policy selects tokens from a prefill of the whole sequence. */
bool session_prefills_anywhere(const struct session* session);

/* Starts one decode step that processes `rows` tokens of the first entry, beginning at its
 * position. chunk_picks receive the predicted successor of each token. The entry's position does
 * not change. */
void session_start_verifying(struct session* session, uint32_t rows);
void session_finish_verifying(struct session* session);

/* Ends the current part of the work. Call it at the end of the batch's prefill or of its decoding,
 * or before work is omitted. */
void session_end_part(const struct session* session);

/* For open.c, sampled.c and ways.c. session_pass returns a pass of `entries` sequences from
 * `first_entry` on. session_list and session_run_listed make and run a list of operations between
 * passes. session_select_kept runs the policy's selection from an entry's prefill. */
struct pass session_pass(struct session* session, uint32_t first_entry, uint32_t entries,
                         uint32_t rows);
void session_list(struct session* session, const struct pass* pass, struct operation_list* list);
/* Makes `local` the pass for local layers, if the model has any. */
void session_set_local(struct session* session, const struct cache_forms* forms, struct pass* pass,
                       struct pass* local);
void session_run_listed(struct session* session);
void session_select_kept(struct session* session, uint32_t entry);
/* Runs the pass of a prefill without changing the entry's position. */
void session_prefill_pass(struct session* session, uint32_t entry, uint32_t rows, bool last);
/* Opens the programs of a variant (way) whose layers are already set. */
static inline void session_open_way(struct session* session, struct way* way)
{
    const struct cache* cache = &session->placement.cache;
    issue_open_program(&session->issuer, &way->prefill, &session->prefill_lowering, &way->layers,
                       &cache->prefill_forms);
    issue_open_program(&session->issuer, &way->decode, &session->lowering, &way->layers,
                       &cache->decode_forms);
}

/* Reports the contents of the model and of each memory. Also reports the cache, if its size is
 * limited or if its memory needs refresh. */
void session_report(const struct session* session);

/* Returns the greatest number of descriptors issued for one layer in one decode step; 0 if there
 * was no step. */
uint32_t session_descriptors_per_layer_step(const struct session* session);
