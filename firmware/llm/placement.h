/* Where values lie: the key/value cache in the memory whose role it is, activations on chip while
 * they fit, what does not fit in the spill memory. */
#pragma once

#include "firmware/llm/operation.h"
#include "ip/common/boot_info.h"

#include <stdint.h>

struct operand {
    uint64_t data;
    uint64_t scale; /* FP32 per vector of an INT16 value, else 0 */
};

struct placement {
    struct operand values[VALUE_COUNT]; /* all but PICKS, which the pass names */
    uint32_t context;                   /* C: slots per sequence */
    uint32_t batch;
    uint32_t chunk; /* most tokens of one prefill pass */
    uint64_t next_free[LEVEE_MAX_MEMORIES];
};

/* Places everything for `batch` sequences of at most `context` tokens, prefilled `chunk` tokens at
 * once (0: the most of 64, 32, 16 that keeps the activations on chip), with logits of all of a
 * chunk's tokens or only of the last. Ends the run, naming the value and the memory, if something
 * does not fit. */
void placement_open(struct placement* placement, const struct model* model, uint32_t batch,
                    uint32_t context, uint32_t chunk, int all_logits);

/* One (layer, batch entry) of the cache, `value` being KEYS or VALUES: data [G][C][D], scale
 * [G][C]. */
struct operand placement_cache(const struct placement* placement, const struct model* model,
                               enum value value, uint32_t layer, uint32_t entry);
