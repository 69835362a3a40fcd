// SPDX-License-Identifier: Apache-2.0
/* What schedulers share: from lists of operations to descriptors, and from one pass to the next. */
#pragma once

#include "firmware/sched/lower.h"
#include "firmware/sched/program.h"
#include "firmware/sched/scheduler.h"

#include <stddef.h>

/* The unit for everything but the array's products: the function unit, the evictor, the DMA engine.
 */
enum unit issue_unit(const struct operation* operation);

/* Appends the operations, each part by part of the layer's cache where it is done so. `last`:
 * nothing of the pass comes after them. */
void issue_list(struct program* program, const struct scheduler* scheduler,
                const struct lowering* lowering, const struct pass* pass,
                const struct operation* list, size_t operations, bool last);

/* The whole pass, handed over layer by layer. */
void issue_pass(struct program* program, const struct scheduler* scheduler,
                const struct lowering* lowering, const struct pass* pass);

/* What a pass of this form takes at most. */
void issue_capacity(const struct scheduler* scheduler, const struct lowering* lowering,
                    const struct pass_form* form, struct program_capacity* capacity);

/* Patches the program for the next pass of the same shape. */
void issue_refresh(struct program* program, const struct lowering* lowering,
                   const struct pass* pass);
