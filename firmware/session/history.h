// SPDX-License-Identifier: Apache-2.0
/* Finds earlier occurrences of a text's last tokens through a hash of the `match` tokens before
 * each position. It copies the tokens, since accesses outside the tightly coupled memory are
 * slow. */
#pragma once

#include <stdint.h>

struct history {
    uint32_t match;   /* number of tokens that must match */
    uint64_t address; /* address of the text's tokens */
    uint32_t* tokens; /* copy of the tokens */
    uint32_t copied;
    uint32_t* latest; /* by hash: last position after tokens with this hash; 0: none */
    uint32_t* before; /* by position: previous position with the same hash; 0: none */
    uint32_t hashed;  /* positions up to here are in the tables */
};

/* Allocates the tables for a text of at most `most_tokens` tokens. */
void history_open(struct history* history, uint32_t match, uint32_t most_tokens);

/* Continues with a text of `count` tokens. It is the same text, which has grown, or another text,
 * which is read from its beginning. */
void history_follow(struct history* history, uint64_t address, uint32_t count);

/* Adds one token to the text. This saves copying it from memory. */
void history_add(struct history* history, uint32_t token);

/* Returns the position after the latest earlier occurrence of the text's last `match` tokens, or
 * the number of tokens if there is none. */
uint32_t history_find(const struct history* history);
