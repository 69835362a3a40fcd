// SPDX-License-Identifier: Apache-2.0
/* Turns lists of operations into programs, and one pass's program into the next one's, by the
 * machine's rows. */
#pragma once

#include "firmware/target/program.h"

/* A machine with its units. */
struct issuer {
    const struct machine* machine;
    struct units* units;
};

/* Starts the pass on the units, as a new program if its shape differs from the last one;
 * program_wait() ends it. The previous pass has ended. */
void issue_start(const struct issuer* issuer, struct program* program,
                 const struct lowering* lowering, const struct pass* pass);

/* Appends the operations; one that the machine executes by parts of the layer's cache is
 * appended once for each part. `last`: the pass ends after them. */
void issue_list(const struct issuer* issuer, struct program* program,
                const struct lowering* lowering, const struct pass* pass,
                struct operation_list* list, bool last);

/* Adds the needs of a list for the layer, whose cache has `parts` parts, to `capacity`. */
void issue_count(const struct issuer* issuer, const struct lowering* lowering,
                 const struct pass* pass, struct operation_list* list, uint32_t layer,
                 uint32_t parts, struct program_capacity* capacity);

/* Opens a program for any pass through these layers whose cache has these forms. */
void issue_open_program(const struct issuer* issuer, struct program* program,
                        const struct lowering* lowering, const struct layer_list* layers,
                        const struct cache_forms* forms);
