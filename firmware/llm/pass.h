/* One pass through the transformer: which tokens of which sequences, and what is wanted of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

    /* Tables, one word per entry of the pass. */
    uint64_t positions; /* of row 0 */
    uint64_t lengths;   /* cached tokens, this pass's included */
    uint64_t slots;     /* cache slot of row 0 */

    /* What changes from pass to pass. */
    struct word_table tokens;  /* ids to embed */
    struct word_table targets; /* PICK_LOG_PROB: ids whose probability is wanted */
    uint64_t picks;            /* struct levee_sfu_pick [entries][logit_rows] */
    uint32_t longest;          /* largest of the lengths */
    uint32_t seed;             /* PICK_SAMPLE */
    float temperature;         /* PICK_SAMPLE */
};

static inline bool pass_same_shape(const struct pass* a, const struct pass* b)
{
    return a->entries == b->entries && a->rows == b->rows && a->first_entry == b->first_entry &&
           a->logit_first == b->logit_first && a->logit_rows == b->logit_rows && a->pick == b->pick;
}
