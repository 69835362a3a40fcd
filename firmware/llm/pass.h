// SPDX-License-Identifier: Apache-2.0
/* One pass through the transformer: which tokens of which sequences, and what is wanted of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Which operations the pass is made of, beyond those of any transformer. */
struct pass_form {
    bool separate; /* Q, K and V by a product each */
    bool held;     /* arriving keys and values stay beside the cache until they have been used */
    bool prefill;  /* into the prefill's own cache, to be selected from */
    bool indexed;  /* slots are the evictor's: tables say which */
    bool scored;   /* what is attended to counts */
    bool search_after; /* and who leaves is looked for after attention: policy.h */
    bool keeps_x;      /* layer inputs are stored, too */
    bool recalls;      /* and keys and values recomputed from them */
};

/* Words in the accelerators' memory, one per token: at address + entry * per_entry + row * per_row.
 */
struct word_table {
    uint64_t address;
    uint16_t per_entry, per_row; /* bytes */
};

enum pick_kind { PICK_ARGMAX, PICK_SAMPLE, PICK_LOG_PROB };

struct pass {
    /* Shape: a program built for one shape serves every pass of that shape. */
    uint32_t entries;     /* sequences */
    uint32_t rows;        /* tokens of each */
    uint32_t first_entry; /* of the batch */
    uint32_t logit_first; /* first row of each entry whose logits are wanted */
    uint32_t logit_rows;  /* and how many; 0: the pass only fills the cache */
    enum pick_kind pick;
    struct pass_form form;

    /* Tables, one word per entry of the pass. */
    uint64_t positions; /* of row 0 */
    uint64_t lengths;   /* cached tokens, this pass's included */
    uint64_t slots;     /* cache slot of row 0; unless form.indexed */
    uint64_t now;       /* form.indexed: positions as the evictor counts them */

    /* What changes from pass to pass. */
    struct word_table tokens;    /* ids to embed */
    struct word_table targets;   /* PICK_LOG_PROB: ids whose probability is wanted */
    uint64_t picks;              /* struct levee_sfu_pick [entries][logit_rows] */
    uint32_t longest;            /* largest of the lengths */
    const uint32_t* recalled;    /* form.recalls: x rows of each entry, by layer; at least 1 */
    uint32_t seed;               /* PICK_SAMPLE */
    float temperature;           /* PICK_SAMPLE */
    uint32_t fill_from, fill_to; /* slots; FILL operations */
};

static inline bool pass_same_shape(const struct pass* a, const struct pass* b)
{
    return a->entries == b->entries && a->rows == b->rows && a->first_entry == b->first_entry &&
           a->logit_first == b->logit_first && a->logit_rows == b->logit_rows &&
           a->pick == b->pick && a->form.separate == b->form.separate &&
           a->form.held == b->form.held && a->form.prefill == b->form.prefill &&
           a->form.indexed == b->form.indexed && a->form.scored == b->form.scored &&
           a->form.search_after == b->form.search_after && a->form.keeps_x == b->form.keeps_x &&
           a->form.recalls == b->form.recalls;
}
