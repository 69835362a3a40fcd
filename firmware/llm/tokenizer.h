// SPDX-License-Identifier: Apache-2.0
/* Token ids to text, from the image's tokenizer section. */
#pragma once

#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stdint.h>

struct tokenizer {
    struct levee_tokenizer_header header;
    uint64_t entries; /* struct levee_token_entry, as accelerators address them */
    uint64_t text;
    bool silent; /* the image has no tokenizer at all, not even one of ids: nothing is printed */
};

/* Ends the run if the section does not fit the model or lies where the core cannot access it. */
void tokenizer_open(struct tokenizer* tokenizer, const struct model* model);

/* Writes `token` to stdout as it reads after `previous` (LEVEE_NO_TOKEN at the start of a text). */
void tokenizer_print(const struct tokenizer* tokenizer, uint32_t previous, uint32_t token);
