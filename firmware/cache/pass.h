// SPDX-License-Identifier: Apache-2.0
/* One pass through the transformer: its tokens, its required results, and the treatment of keys
 * and values in the cache. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Effects of a pass on the cache. */
struct cache_form {
    bool staged;   /* arriving keys and values stay outside the cache until they have been used */
    bool prefill;  /* they go into the prefill's own cache, from which the policy selects */
    bool indexed;  /* the policy chooses their slots, which tables list */
    bool scored;   /* the attention a token gets makes it important */
    bool streamed; /* prefill: scores that count come on a stream port, not from memory */
    bool search_after;  /* who leaves is looked for once attention is done: policy.h */
    bool stores_inputs; /* layer inputs are stored, too */
    bool recomputes;    /* Keys and values are recomputed from them. */
    bool free;          /* Recomputation counts as taking no time. */
    bool listed;        /* attention reads the tokens that a search has listed */
};

/* Forms for layers that follow the policy, and for layers that keep a window. */
struct cache_forms {
    struct cache_form full, local;
};

/* Words in the accelerators' memory, one per token: at address + entry * per_entry + row * per_row.
 */
struct word_table {
    uint64_t address;
    uint16_t per_entry, per_row; /* bytes */
};

enum pick_kind {
    PICK_ARGMAX,
    PICK_SAMPLE,
    PICK_LOG_PROB, /* this and the next one read `targets` */
    PICK_SEEDED    /* as PICK_SAMPLE, but with a separate seed for each row */
};

/* A program built for one shape serves every pass of that shape. */
struct pass_shape {
    uint32_t entries;     /* sequences */
    uint32_t rows;        /* tokens of each */
    uint32_t first_entry; /* First entry in the batch. */
    uint32_t logit_first; /* first row of each entry whose logits are wanted */
    uint32_t logit_rows;  /* Number of logit rows; 0: the pass only fills the cache. */
    enum pick_kind pick;
    bool separate;      /* Q, K and V by a product each */
    bool whole_softmax; /* The softmax is whole also in tiles, with the bits of decode steps. */
    struct cache_form form;
    uint32_t start; /* first vector of a local layer's own cache that a prefill sees */
};

struct pass {
    struct pass_shape shape;

    /* Tables, one word per entry of the pass. */
    uint64_t positions; /* Positions of row 0. */
    uint64_t lengths;   /* cached tokens, this pass's included */
    uint64_t slots;     /* cache slot of row 0; unless form.indexed */
    uint64_t now;       /* form.indexed: positions as the policy counts them */
    uint64_t listed;    /* form.listed: how many of the cached tokens attention reads */
    uint64_t written;   /* form.indexed: slots that were written earlier */

    /* What changes from pass to pass. */
    struct word_table tokens; /* ids to embed */
    struct word_table
        targets;      /* PICK_LOG_PROB: ids whose probability is wanted; PICK_SEEDED: seeds */
    uint64_t picks;   /* struct pick [entries][logit_rows] */
    uint32_t longest; /* largest of the lengths */
    uint32_t longest_listed;     /* largest of the words of `listed` */
    const uint32_t* recomputed;  /* form.recomputes: rows of each entry, by layer; at least 1 */
    uint32_t seed;               /* PICK_SAMPLE */
    float temperature;           /* PICK_SAMPLE, PICK_SEEDED */
    uint32_t fill_from, fill_to; /* slots; the FILL operations of sampled runs */

    /* Pass for local layers; NULL: the same. */
    const struct pass* local;
    uint32_t window; /* number of latest tokens that a row sees; 0: all */
    uint32_t origin; /* position of the token that lengths count from */
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
