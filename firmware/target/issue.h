// SPDX-License-Identifier: Apache-2.0
/* Converts lists of operations to programs by the rows of the machine, and patches one pass's
 * program for the next pass. */
#pragma once

#include "firmware/target/program.h"

/* A machine and the units on which it runs. */
struct issuer {
    const struct machine* machine;
    struct units* units;
};

/* Starts the pass on the units. It builds a new program if the shape differs from the last
 * pass's. program_wait() ends the pass. The previous pass must have ended. */
void issue_start(const struct issuer* issuer, struct program* program,
                 const struct lowering* lowering, const struct pass* pass);

/* Appends the operations of a list. If the machine executes an operation separately on each part of
 * the layer's cache, the operation is appended once for each part. `last` states that the pass ends
 * with this list. */
void issue_list(const struct issuer* issuer, struct program* program,
                const struct lowering* lowering, const struct pass* pass,
                struct operation_list* list, bool last);

/* Adds to `capacity` what a list needs in the layer. The layer's cache has `parts` parts. */
void issue_count(const struct issuer* issuer, const struct lowering* lowering,
                 const struct pass* pass, struct operation_list* list, uint32_t layer,
                 uint32_t parts, struct program_capacity* capacity);

/* Opens a program that has space for any pass through these layers with these forms of the
 * cache. */
void issue_open_program(const struct issuer* issuer, struct program* program,
                        const struct lowering* lowering, const struct layer_list* layers,
                        const struct cache_forms* forms);
