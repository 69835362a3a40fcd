// SPDX-License-Identifier: Apache-2.0
/* Sets up a machine's parts for a run. The functions must be called in the order below. */
#pragma once

#include "firmware/target/machine.h"

/* Call machine_reserve before anything is placed, machine_open when everything is placed, and
 * machine_start when the units are open. A new batch begins with machine_new_batch and the
 * operations of machine_list_new_batch. */
void machine_reserve(const struct machine* machine, struct space* space);
void machine_open(struct machine* machine, struct lowering* lowering);
void machine_start(const struct lowering* lowering);
void machine_new_batch(const struct lowering* lowering);
void machine_list_new_batch(const struct lowering* lowering, struct operation_list* list);
void machine_report(const struct lowering* lowering);

/* Returns whether the memory loses data unless it is refreshed. */
bool machine_refreshes(const struct levee_memory_info* memory);

/* Greatest number of operations that machine_list_new_batch appends. */
#define MACHINE_MAX_OPERATIONS 4u
