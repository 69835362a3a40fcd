// SPDX-License-Identifier: Apache-2.0
/* How large activations are. */
#pragma once

#include "firmware/llm/model.h"
#include "firmware/llm/operation.h"

#include <stdbool.h>
#include <stdint.h>

struct extent {
    uint64_t data, scale; /* bytes */
};

/* What a pass goes through at most. */
struct load {
    uint64_t tokens;  /* of all entries */
    uint64_t kv_rows; /* that keys and values are computed for: recalled ones, too */
    uint64_t beside;  /* vectors of a head in NEW_KEYS, NEW_VALUES */
    uint64_t scores;  /* of a head */
    uint64_t logits;  /* rows of */
    bool separate;    /* pass_form.separate */
};

/* A load as large as both. */
struct load load_of_both(const struct load* a, const struct load* b);

struct extent extent_of(const struct model* model, const struct load* load, enum value value);
