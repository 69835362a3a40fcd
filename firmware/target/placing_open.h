// SPDX-License-Identifier: Apache-2.0
/* Chooses the places of a model's values for a run. */
#pragma once

#include "firmware/target/machine.h"
#include "firmware/target/placement.h"

/* Places everything, and chooses the chunk size if the request leaves it open. The rules, in
 * this order:
 * - the largest of 64, 32 and 16 tokens for which all activations fit on chip;
 * - 16, if the repeatedly read operands of products with weights stay on chip;
 * - with these operands placed first, the largest of 512, 256, ... 16 for which they stay on
 *   chip;
 * - the largest that fits at all.
 * Ends the run, naming the value and the memory, if something does not fit.
 *
 * If the machine supports it, a prefill's attention is tiled in two cases: its scores would not
 * all fit on chip, or they count for importance and must go through a stream port. The tiles use
 * the on-chip memory that the rest of a prefill leaves. They share it with the operands that
 * products read repeatedly; one of these, ACTIVATED, may be there for only some tokens of a
 * chunk at a time. First, the tiles get an eighth of the space, or as much as the largest
 * operand that fits (including half of the rings' reserve). If that is too little for all
 * queries of a chunk, they get all of the space. */
void placement_open(struct placement* placement, const struct machine* machine,
                    const struct model* model, const struct policy* policy,
                    const struct placement_request* request);

/* Places the values of a second model, whose passes never run at the same time as the first
 * model's. Its keys and values follow those of the first model, in memories without refresh. Its
 * activations reuse the bytes of the first model's on-chip activations; those that do not fit go
 * to the spill memory. */
void placement_open_beside(struct placement* placement, struct placement* first,
                           const struct machine* machine, const struct model* model,
                           const struct policy* policy, const struct placement_request* request);
