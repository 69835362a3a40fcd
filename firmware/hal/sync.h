// SPDX-License-Identifier: Apache-2.0
/* The sync unit: the counters that blocks synchronise on, and the comparator that wakes the core.
 * */
#pragma once

#include <stdint.h>

/* Finds the unit and attaches its interrupt; ends the run if there is none. */
void sync_open(void);
uint32_t sync_counters(void);
uint32_t sync_read(uint32_t counter);
void sync_set(uint32_t counter, uint32_t value);
/* Adds in one step, as blocks do: sync_read() followed by sync_set() would lose concurrent
 * additions of a block. */
void sync_add(uint32_t counter, uint32_t amount);

/* Arms one interrupt for when `counter` reaches `value` (wrap-safe). sync_reached returns, without
 * reading the unit, whether that interrupt has occurred. */
void sync_arm(uint32_t counter, uint32_t value);
int sync_reached(void);
