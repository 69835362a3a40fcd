// SPDX-License-Identifier: Apache-2.0
/* Earlier occurrences of a text's last tokens. The tokens are copied, as every access outside the
 * tightly coupled memory is slow, and found by a hash of as many as are to match. */
#pragma once

#include <stdint.h>

struct history {
    uint32_t match;   /* tokens that are compared */
    uint64_t address; /* of the text's tokens */
    uint32_t* tokens; /* a copy of them */
    uint32_t copied;
    uint32_t* latest; /* by hash: the last place behind such tokens; 0: there is none */
    uint32_t* before; /* by place: the last one before it with the same hash; 0: likewise */
    uint32_t hashed;  /* places up to here are in the tables */
};

/* Room for so many tokens of a text. */
void history_open(struct history* history, uint32_t match, uint32_t most_tokens);

/* Goes on with a text of `count` tokens: the same one, which has grown, or another, from its
 * beginning. */
void history_follow(struct history* history, uint64_t address, uint32_t count);

/* The text that is followed has one more token, which thus need not be copied. */
void history_add(struct history* history, uint32_t token);

/* The place behind the latest earlier occurrence of the text's last `match` tokens; the number of
 * tokens: there is none. */
uint32_t history_find(const struct history* history);
