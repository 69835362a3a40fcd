// SPDX-License-Identifier: Apache-2.0
/* Requests whose prompts begin alike: keys and values of the common tokens are made once. An entry
 * that is free keeps what its last prompt's prefill has made; a request with that beginning takes
 * the entry as it is. What another entry has is copied. Only whole blocks are shared, and never a
 * prompt's last token, whose pass makes the first of the answer. */
#pragma once

#include "firmware/session/session.h"
#include "firmware/target/copies.h"

#include <stdbool.h>
#include <stdint.h>

/* The part of a prompt that an entry's cache has: rows that a prefill made. Steps make others, and
 * their bits may differ if a prefill's softmax is in parts. */
struct resident {
    uint64_t token_address;
    uint32_t count; /* tokens; of an entry that is taken, its position says */
    uint32_t left;  /* its place in the order of leaving, from 1; 0: unused */
    bool taken;
};

struct prefixes {
    struct session* session;
    uint32_t block;             /* tokens; 0: nothing is shared */
    uint32_t left;              /* requests so far */
    struct resident* residents; /* by entry */
    struct copies copies;
};

/* After session_begin_serving. */
void prefixes_open(struct prefixes* prefixes, struct session* session, uint32_t block);

/* A free entry for sequence `number`, of which there is one: that with most of its prompt, else one
 * that nobody has had, else the one that was left first. */
uint32_t prefixes_choose(const struct prefixes* prefixes, uint32_t number);

/* session_take(), but the entry goes on behind what it has of the prompt. */
void prefixes_take(struct prefixes* prefixes, uint32_t entry, uint32_t number, uint32_t new_tokens);

/* Before the entry's first chunk: copies what another entry has of its prompt and it has not, and
 * reports how much of the prompt it has then. */
void prefixes_share(struct prefixes* prefixes, uint32_t entry);

/* After session_leave_out(): the entry keeps what it has of its prompt. */
void prefixes_keep(struct prefixes* prefixes, uint32_t entry);
