// SPDX-License-Identifier: Apache-2.0
/* Converts token ids to text, by the image's tokenizer section. */
#pragma once

#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

struct tokenizer {
    struct levee_tokenizer_header header;
    uint64_t entries; /* struct levee_token_entry, as accelerators address them */
    uint64_t text;
    bool silent; /* the image has no tokenizer, not even one that prints ids, so nothing is
                    printed */
};

/* Opens the tokenizer section. Ends the run if it does not fit the model, or if the core cannot
 * access its memory. */
void tokenizer_open(struct tokenizer* tokenizer, const struct model* model);

/* Writes `token` to stdout in the form that it has after the token `previous` (LEVEE_NO_TOKEN at
 * the start of a text). */
void tokenizer_print(const struct tokenizer* tokenizer, uint32_t previous, uint32_t token);
