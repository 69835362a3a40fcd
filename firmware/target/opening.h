// SPDX-License-Identifier: Apache-2.0
/* A machine in a run: setup of its parts, and the order of the setup. */
#pragma once

#include "firmware/target/machine.h"

/* Reserves memory before anything is placed, and sets up lowering after everything is placed.
 * `start` follows when the units are open, and the operations that begin every new batch. */
void machine_reserve(const struct machine* machine, struct space* space);
void machine_open(struct machine* machine, struct lowering* lowering);
void machine_start(const struct lowering* lowering);
void machine_new_batch(const struct lowering* lowering);
void machine_list_new_batch(const struct lowering* lowering, struct operation_list* list);
void machine_report(const struct lowering* lowering);

/* Whether the memory loses what is not refreshed. */
bool machine_refreshes(const struct levee_memory_info* memory);

/* The most operations that machine_list_new_batch appends. */
#define MACHINE_MAX_OPERATIONS 4u
