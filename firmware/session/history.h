// SPDX-License-Identifier: Apache-2.0
/* Finds earlier occurrences of a text's last tokens. Tokens are copied, since accesses outside
 * the tightly coupled memory are slow. A hash over as many tokens as must match finds them. */
#pragma once

#include <stdint.h>

struct history {
    uint32_t match;   /* tokens that are compared */
    uint64_t address; /* Address of the text's tokens. */
    uint32_t* tokens; /* Copy of the tokens. */
    uint32_t copied;
    uint32_t* latest; /* Last position after tokens with this hash, by hash; 0: none. */
    uint32_t* before; /* Previous position with the same hash, by position; 0: none. */
    uint32_t hashed;  /* places up to here are in the tables */
};

/* Room for so many tokens of a text. */
void history_open(struct history* history, uint32_t match, uint32_t most_tokens);

/* Continues with a text of `count` tokens: the same text after growth, or another one from its
 * beginning. */
void history_follow(struct history* history, uint64_t address, uint32_t count);

/* Adds one token to the followed text, which thus need not be copied. */
void history_add(struct history* history, uint32_t token);

/* Returns the position after the latest earlier occurrence of the text's last `match` tokens, or
 * the number of tokens if there is none. */
uint32_t history_find(const struct history* history);
