// SPDX-License-Identifier: Apache-2.0
/* Running a batch of sequences: prefill in chunks, then decode step by step. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/llm/model.h"
#include "firmware/target/issue.h"

#include <stdbool.h>
#include <stdint.h>

/* The use of the logits. */
enum session_mode {
    SESSION_GENERATE, /* the next token, of each sequence's last row; as workload.sampling says */
    SESSION_SCORE     /* Scores every row: the log-probability of the text's next token. */
};

/* Seeds of draws differ by this times their number (Knuth's multiplicative hash spreads the
 * number's bits). */
#define SESSION_SEED_STEP 2654435761u

/* One sequence of the running batch. */
struct entry {
    struct levee_sequence sequence;
    uint32_t index;    /* Index in the workload. */
    uint32_t position; /* position of the token that goes through the model next */
    bool active;       /* takes part in the next step; other entries repeat their last one */
};

/* Variant in which passes go through layers. A sampled run has several, other runs have one. */
struct way {
    struct layer_list layers;
    int32_t times; /* Weight of a part that runs in this variant, in 1/LEVEE_MARK_ONCE. */
    struct program prefill, decode;
};

/* Whether a variant of a sampled run goes through a layer, and whether the layer's slots are
 * filled before the part stores there. */
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
    struct way* way;        /* Variant of the next passes. */
    uint8_t* shares;        /* Shares by layer: enum layer_share; NULL: passes go through all
                             * layers. */
    struct program between; /* passes */

    struct entry* entries;  /* Entries, workload.batch of them. */
    uint32_t count;         /* entries of the running batch */
    uint32_t passes;        /* Passes so far; mixed into the sampling seed. */
    uint32_t chunks;        /* chunks of the running batch's prefill so far */
    uint32_t steps;         /* steps of its decoding so far */
    uint32_t samples_done;  /* samples of workload.sample_steps so far */
    struct pass step;       /* the running batch's next decode step */
    struct pass local_step; /* Step in local layers. */

    /* Tables the blocks read and write, one element per entry. */
    uint32_t* positions;
    uint32_t* lengths;
    uint32_t* slots;
    uint32_t* now;     /* positions; those of inactive entries advance, too, as the policy's time */
    uint32_t* written; /* slots that were written before the step */
    uint32_t* listed;  /* For each length, the number of tokens that a decode step attends to. */
    uint32_t* targets;
    struct pick* picks;
    struct local_tables {
        uint32_t* lengths;
        uint32_t* slots;
        uint32_t* first;      /* position whose token takes slot 0 of the ring */
        uint32_t origin;      /* position of the first token in the prefill's own cache */
    } local;                  /* Same tables for local layers. */
    struct pick* chunk_picks; /* SESSION_SCORE and guesses: per token of a prefill chunk */
    uint32_t* recomputed;     /* Rows of stored inputs in use, by layer. */
    uint64_t recomputed_rows; /* over all layers and steps */
};

/* Opens model, target and units for the workload. Ends the run if it cannot be run as asked. */
void session_open(struct session* session, enum session_mode mode);

/* Opens a second session in mode SESSION_GENERATE, of another model, next to one that is open. They
 * share the units and, as their passes never run at once, the bytes of activations on chip. Keys
 * and values lie in memory that is not refreshed. */
void session_open_beside(struct session* session, struct session* first,
                         const struct levee_workload* workload);

/* Takes the first session's running sequence, from its beginning on. */
void session_begin_beside(struct session* session, const struct session* first);

/* Puts the next `rows` tokens of the second session's sequence through its model, and waits. There
 * is no pick. */
void session_read_rows(struct session* session, uint32_t rows);

/* Takes the sequences [first, first + count) of the workload, count at most workload.batch. */
void session_begin_batch(struct session* session, uint32_t first, uint32_t count);

/* For serving requests: takes sequences [0, count) and leaves out all entries. */
void session_begin_serving(struct session* session, uint32_t count);

/* For requests with seeds of their own (sampling by temperature): what is drawn depends on the seed
 * and on the token's position, not on whom it runs with. After session_begin_serving; then before
 * a step, and before the last chunk of an entry's prefill. */
void session_open_seeds(struct session* session);
void session_seed_step(struct session* session);
void session_seed_prefill(struct session* session, uint32_t entry);

/* Puts sequence `number`, to be continued by new_tokens, into an entry that is left out. Its
 * prefill may have steps of other entries between its chunks: session_set_aside() after each. Then
 * it is made active. */
void session_take(struct session* session, uint32_t entry, uint32_t number, uint32_t new_tokens);
void session_set_aside(struct session* session, uint32_t entry);

/* Steps go through the first `count` entries of the batch, at least one, including all active
 * ones. Default: all entries. */
void session_set_step_entries(struct session* session, uint32_t count);

/* Leaves an entry out: none of its tokens goes through the model, and steps compute unused data
 * for it, as for a first token. Call it between session_begin_batch and the first step, or when
 * an entry has ended. */
void session_leave_out(struct session* session, uint32_t entry);

/* Token `index` of the sequence, index < token_count. */
uint32_t session_token(const struct entry* entry, uint32_t index);

/* Puts tokens [position, position + rows) of the entry through the model, rows at most
 * placement.chunk, and waits. SESSION_SCORE: chunk_picks hold one pick per token, each against the
 * token after it, which must exist. SESSION_GENERATE: picks[entry] if `last`. */
void session_prefill(struct session* session, uint32_t entry, uint32_t rows, bool last);

/* One decode step of the whole batch. Each entry's token is read from the sequence while that
 * lasts; then it is the last pick. start returns at once; finish sleeps until the picks hold the
 * results, and advances the active entries by one position. */
void session_start_step(struct session* session);
/* Starts a step in the same way, outside the marked parts of the run. */
void session_start_unmarked_step(struct session* session);
/* Runs a step, and `meanwhile` while the units work. Afterwards the state is as before, so that
 * the step can be repeated in another variant. */
void session_try_step(struct session* session, void (*meanwhile)(void));
void session_finish_step(struct session* session);

/* Whether the token ends a text. */
bool session_ends_text(const struct session* session, uint32_t token);

/* Adds a token to the first entry's sequence, after which the platform has left room. */
void session_add_token(const struct session* session, uint32_t token);

/* Releases the batch's cache, which is no longer refreshed. Sequences then start again with the
 * first token. */
void session_forget(const struct session* session);
void session_begin_again(struct session* session);

/* Whether a prefill can continue at any position, from the cache's own rows; not if the policy
 * selects from a prefill of the whole sequence. */
bool session_prefills_anywhere(const struct session* session);

/* Puts `rows` tokens of the first entry, from its position on, through the model as one decode
 * step: chunk_picks has the successor of each. The entry's position does not change. */
void session_start_verifying(struct session* session, uint32_t rows);
void session_finish_verifying(struct session* session);

/* Call it when the batch's prefill is over, or its decoding, or something is left out. */
void session_end_part(const struct session* session);

/* For session/sampled.c: a pass of `entries` sequences from `first_entry` on; a list of
 * operations for the program between passes, and its execution; and the policy's selection from
 * an entry's prefill. */
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
/* Opens the programs of a way whose layers are set. */
void session_open_way(struct session* session, struct way* way);

/* Reports the contents of the model and of each memory, and of the cache if that is limited or
 * in refreshed memory. */
void session_report(const struct session* session);

/* Most descriptors issued for one layer in one decode step; 0 if there was none. */
uint32_t session_descriptors_per_layer_step(const struct session* session);
