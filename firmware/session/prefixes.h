// SPDX-License-Identifier: Apache-2.0
/* Shares keys and values between requests whose prompts begin with the same tokens; they are
 * computed once. A free entry keeps the results of its last prefill. A request whose prompt has the
 * same beginning reuses that entry, or gets a copy of another entry's data. Only whole blocks are
 * shared. A prompt's last token is never shared, since its pass computes the first token of the
 * answer. */
#pragma once

#include "firmware/session/session.h"
#include "firmware/target/copies.h"

#include <stdbool.h>
#include <stdint.h>

/* The part of a prompt that is in an entry's cache. Its rows come from a prefill. Rows from decode
 * steps are not reused, since their bits may differ from those of a prefill with a tiled
 * softmax. */
struct resident {
    uint64_t token_address;
    uint32_t count; /* number of tokens; for an entry in use, its position applies instead */
    uint32_t left;  /* order in which entries became free, from 1; 0: never used */
    bool taken;
};

struct prefixes {
    struct session* session;
    uint32_t block;             /* tokens of a block; 0: no sharing */
    uint32_t left;              /* number of requests that have ended */
    struct resident* residents; /* residents, by entry */
    struct copies copies;
};

/* Call it after session_begin_serving. */
void prefixes_open(struct prefixes* prefixes, struct session* session, uint32_t block);

/* Chooses a free entry for sequence `number`. It prefers the entry that has most of the sequence's
 * prompt, then an unused entry, then the entry that has been free longest. */
uint32_t prefixes_choose(const struct prefixes* prefixes, uint32_t number);

/* Does the same as session_take(), except that the entry continues after the part of the prompt
 * that is already cached. */
void prefixes_take(struct prefixes* prefixes, uint32_t entry, uint32_t number, uint32_t new_tokens);

/* Copies the parts of the entry's prompt that another entry has, and reports the number of cached
 * tokens. Call it before the entry's first chunk. */
void prefixes_share(struct prefixes* prefixes, uint32_t entry);

/* Call it after session_leave_out(). The entry then keeps the cached part of its prompt. */
void prefixes_keep(struct prefixes* prefixes, uint32_t entry);
