// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/history.h"

#include "firmware/hal/system.h"

#include <stdbool.h>
#include <string.h>

#define HASH_BITS 8u
#define HASHES (1u << HASH_BITS)

void history_open(struct history* history, uint32_t match, uint32_t most_tokens)
{
    history->match = match;
    history->tokens = heap_take(most_tokens * sizeof *history->tokens, "the text's tokens");
    history->before = heap_take(most_tokens * sizeof *history->before, "the text's tokens");
    history->latest = heap_take(HASHES * sizeof *history->latest, "the text's tokens");
}

/* Returns Knuth's multiplicative hash of the `match` tokens before the position. */
static uint32_t hash_before(const struct history* history, uint32_t place)
{
    uint32_t hash = 0;
    for (uint32_t i = place - history->match; i < place; ++i)
        hash = (hash ^ history->tokens[i]) * 2654435761u;
    return hash >> (32 - HASH_BITS);
}

static void forget(struct history* history, uint64_t address)
{
    history->address = address;
    history->copied = 0;
    history->hashed = history->match - 1;
    memset(history->latest, 0, HASHES * sizeof *history->latest);
}

/* Adds positions to the tables. The position after the last token is not added, so a search
 * finds only earlier occurrences. */
static void hash_places(struct history* history)
{
    while (history->hashed + 1 < history->copied) {
        const uint32_t place = ++history->hashed;
        uint32_t* latest = &history->latest[hash_before(history, place)];
        history->before[place] = *latest;
        *latest = place;
    }
}

void history_follow(struct history* history, uint64_t address, uint32_t count)
{
    if (address != history->address)
        forget(history, address);
    if (count != history->copied)
        copy_in(&history->tokens[history->copied], address + 4ull * history->copied,
                4ull * (count - history->copied), "the text's tokens");
    history->copied = count;
    hash_places(history);
}

void history_add(struct history* history, uint32_t token)
{
    history->tokens[history->copied++] = token;
}

static bool matches(const struct history* history, uint32_t place)
{
    const uint32_t* last = &history->tokens[history->copied - history->match];
    return memcmp(&history->tokens[place - history->match], last, history->match * sizeof *last) ==
           0;
}

uint32_t history_find(const struct history* history)
{
    if (history->copied <= history->match)
        return history->copied;
    uint32_t place = history->latest[hash_before(history, history->copied)];
    while (place != 0 && !matches(history, place))
        place = history->before[place];
    return place != 0 ? place : history->copied;
}
