// SPDX-License-Identifier: Apache-2.0
/* Requests with common beginnings of prompts: their keys and values are computed once. A free
 * entry keeps the results of its last prefill; a request with that beginning reuses the entry,
 * and data of another entry are copied. Only whole blocks are shared. A prompt's last token is
 * never shared, since its pass computes the first token of the answer. */
#pragma once

#include "firmware/session/session.h"
#include "firmware/target/copies.h"

#include <stdbool.h>
#include <stdint.h>

/* Part of a prompt that an entry's cache holds: rows from a prefill. Rows from steps are not
 * reused, since their bits may differ if a prefill's softmax is computed in parts. */
struct resident {
    uint64_t token_address;
    uint32_t count; /* number of tokens; for an entry in use, its position counts */
    uint32_t left;  /* Position in the order of leaving, from 1; 0: unused. */
    bool taken;
};

struct prefixes {
    struct session* session;
    uint32_t block;             /* tokens; 0: nothing is shared */
    uint32_t left;              /* requests so far */
    struct resident* residents; /* Residents by entry. */
    struct copies copies;
};

/* Called after session_begin_serving. */
void prefixes_open(struct prefixes* prefixes, struct session* session, uint32_t block);

/* Chooses a free entry for sequence `number`: the entry with most of its prompt, otherwise an
 * unused one, otherwise the one that was left first. */
uint32_t prefixes_choose(const struct prefixes* prefixes, uint32_t number);

/* Like session_take(), but the entry continues after the cached part of the prompt. */
void prefixes_take(struct prefixes* prefixes, uint32_t entry, uint32_t number, uint32_t new_tokens);

/* Called before the entry's first chunk: copies the parts of its prompt that another entry has,
 * and reports the cached length. */
void prefixes_share(struct prefixes* prefixes, uint32_t entry);

/* Called after session_leave_out(): the entry keeps the cached part of its prompt. */
void prefixes_keep(struct prefixes* prefixes, uint32_t entry);
