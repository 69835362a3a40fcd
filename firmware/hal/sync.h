// SPDX-License-Identifier: Apache-2.0
/* The sync unit: counters on which blocks synchronise, and a comparator that wakes the core. */
#pragma once

#include <stdint.h>

/* Finds the unit and attaches its interrupt; ends the run if there is none. */
void sync_open(void);
uint32_t sync_counters(void);
uint32_t sync_read(uint32_t counter);
void sync_set(uint32_t counter, uint32_t value);
/* Adds `amount` in one step, as blocks do. If sync_read() and sync_set() were used instead, an
 * addition by a block in between would be lost. */
void sync_add(uint32_t counter, uint32_t amount);

/* Arms one interrupt, which occurs when `counter` reaches `value` (wrap-safe). sync_reached returns
 * whether that interrupt has occurred; it does not read the unit. */
void sync_arm(uint32_t counter, uint32_t value);
int sync_reached(void);
