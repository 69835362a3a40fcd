// SPDX-License-Identifier: Apache-2.0
/* A conversation's keys and values in a long pause: a DMA engine saves them in another memory, so
 * that nothing refreshes them, and copies them back for the next prompt. */
#pragma once

#include "firmware/session/session.h"
#include "firmware/target/copies.h"
#include "firmware/target/pages.h"

#include <stdint.h>

struct saves {
    struct copies copies;
    struct packing packing;
    struct pages* pages;        /* The memory is a flash; NULL: it is written by address. */
    uint64_t packed;            /* Bytes of the packing that the flash has. */
    uint32_t count;             /* pauses with a save */
    uint32_t position, written; /* state of the saved entry */
    uint64_t bytes;             /* saved so far */
};

/* Takes a place for the first entry's whole context in the memory that begins at `base`. Data
 * for a flash are packed in the spill memory first. Ends the run if that has no room or
 * refreshes its contents, or if nothing copies keys and values. */
struct saves* saves_open(struct session* session, uint64_t base);

/* saves_put() saves the first entry's cached keys and values and releases its cache; saves_get()
 * copies them back. */
void saves_put(struct saves* saves, struct session* session);
void saves_get(struct saves* saves, struct session* session);

void saves_report(const struct saves* saves);
