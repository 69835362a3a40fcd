// SPDX-License-Identifier: Apache-2.0
/* Saves a conversation's keys and values during a long pause. A DMA engine copies them to another
 * memory, so that they need no refresh, and copies them back for the next prompt. */
#pragma once

#include "firmware/session/session.h"
#include "firmware/target/copies.h"
#include "firmware/target/pages.h"

#include <stdint.h>

struct saves {
    struct copies copies;
    struct packing packing;
    struct pages* pages;        /* pages of a flash; NULL: the memory is written by address */
    uint64_t packed;            /* bytes of packed data in the flash */
    uint32_t count;             /* number of pauses with a save */
    uint32_t position, written; /* state of the saved entry */
    uint64_t bytes;             /* number of bytes saved so far */
};

/* Reserves space for the first entry's whole context in the memory that begins at `base`. Data for
 * a flash are first packed in the spill memory. Ends the run if the memory at `base` has too little
 * space or needs refresh, or if no unit can copy keys and values. */
struct saves* saves_open(struct session* session, uint64_t base);

/* saves_put() saves the first entry's cached keys and values, and releases its cache.
 * saves_get() copies them back. */
void saves_put(struct saves* saves, struct session* session);
void saves_get(struct saves* saves, struct session* session);

void saves_report(const struct saves* saves);
