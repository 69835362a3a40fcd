// SPDX-License-Identifier: Apache-2.0
/* One pass through the transformer: its tokens, the results that it must produce, and the way in
 * which it uses the cache. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The way in which a pass uses the cache. */
struct cache_form {
    bool staged;   /* arriving keys and values stay outside the cache until they have been used */
    bool prefill;  /* keys and values go into the prefill's own cache, from which the policy
                    * later selects */
    bool indexed;  /* tables list the slots, which the policy chooses */
    bool scored;   /* the attention that a token receives adds to its importance */
    bool streamed; /* prefill: the scores that count arrive on a stream port, not from memory */
    bool search_after;  /* the search for a victim runs after attention: policy.h */
    bool stores_inputs; /* layer inputs are stored, too */
    bool recomputes;    /* keys and values are recomputed from stored inputs */
    bool free;          /* recomputation counts as free */
    bool listed;        /* attention reads the tokens that a search has listed */
};

/* The ways in which a pass uses the cache: in layers that follow the policy, and in layers that
 * keep a window. */
struct cache_forms {
    struct cache_form full, local;
};

/* Words in the accelerators' memory, one per token: at address + entry * per_entry + row * per_row.
 */
struct word_table {
    uint64_t address;
    uint16_t per_entry, per_row; /* strides in bytes */
};

enum pick_kind {
    PICK_ARGMAX,
    PICK_SAMPLE,
    PICK_LOG_PROB, /* this kind and PICK_SEEDED read `targets` */
    PICK_SEEDED    /* like PICK_SAMPLE, but each entry has its own seed and temperature */
};

/* For PICK_SEEDED: the parameters by which an entry's next token is drawn. */
struct draw {
    uint32_t seed;
    float temperature; /* 0: the token is the most probable one */
};

/* The shape of a pass. A program that was built for one shape serves every pass of that shape. */
struct pass_shape {
    uint32_t entries;     /* number of sequences */
    uint32_t rows;        /* tokens of each sequence in this pass */
    uint32_t first_entry; /* index of the first sequence in the batch */
    uint32_t logit_first; /* first row of each entry that needs logits */
    uint32_t logit_rows;  /* number of rows with logits; 0: the pass only fills the cache */
    enum pick_kind pick;
    bool separate;      /* one product each for Q, K and V */
    bool whole_softmax; /* even when tiled, the softmax covers whole rows and has the bits of
                           decode steps */
    struct cache_form form;
    uint32_t start; /* first vector of the prefill's own cache that a local layer attends to */
};

struct pass {
    struct pass_shape shape;

    /* Tables with one word per entry of the pass. */
    uint64_t positions; /* positions of row 0 */
    uint64_t lengths;   /* number of cached tokens, including those of this pass */
    uint64_t slots;     /* cache slot of row 0, unless form.indexed */
    uint64_t now;       /* form.indexed: positions in the policy's counting */
    uint64_t listed;    /* form.listed: number of cached tokens that attention reads */
    uint64_t written;   /* form.indexed: number of slots written earlier */

    /* Fields that differ from pass to pass. */
    struct word_table tokens; /* ids of the tokens to embed */
    struct word_table
        targets;      /* PICK_LOG_PROB: ids whose probability is wanted; PICK_SEEDED: struct draw */
    uint64_t picks;   /* struct pick [entries][logit_rows] */
    uint32_t longest; /* greatest of the lengths */
    uint32_t longest_listed;     /* greatest of the words of `listed` */
    const uint32_t* recomputed;  /* form.recomputes: rows of each entry, by layer, at least 1 */
    uint32_t seed;               /* used by PICK_SAMPLE */
    float temperature;           /* used by PICK_SAMPLE */
    uint32_t fill_from, fill_to; /* slots for the FILL operations of sampled runs */

    /* The pass to use in local layers; NULL: this pass. */
    const struct pass* local;
    uint32_t window; /* number of latest tokens that a row attends to; 0: all */
    uint32_t origin; /* position of the first token that lengths count */
};

static inline bool cache_same_form(const struct cache_form* a, const struct cache_form* b)
{
    return a->staged == b->staged && a->prefill == b->prefill && a->indexed == b->indexed &&
           a->scored == b->scored && a->streamed == b->streamed &&
           a->search_after == b->search_after && a->stores_inputs == b->stores_inputs &&
           a->recomputes == b->recomputes && a->free == b->free && a->listed == b->listed;
}

static inline bool pass_same_shape(const struct pass_shape* a, const struct pass_shape* b)
{
    return a->entries == b->entries && a->rows == b->rows && a->first_entry == b->first_entry &&
           a->logit_first == b->logit_first && a->logit_rows == b->logit_rows &&
           a->pick == b->pick && a->separate == b->separate && a->start == b->start &&
           a->whole_softmax == b->whole_softmax && cache_same_form(&a->form, &b->form);
}
