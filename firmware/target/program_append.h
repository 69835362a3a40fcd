// SPDX-License-Identifier: Apache-2.0
/* What is private to program. */
#pragma once

#include "firmware/target/program.h"

/* A descriptor for the operation, or for a share of it, on the unit: it waits for what
 * `program->need` says, and is not filled in. `shared`: other units have a share. `patch`: for its
 * fields that differ from pass to pass, or NULL. */
struct levee_descriptor* program_append(struct program* program, const struct addition* addition,
                                        uint32_t unit, bool shared, lower_operation* patch);
