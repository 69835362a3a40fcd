// SPDX-License-Identifier: Apache-2.0
/* The sync unit: counters that blocks chain through, and the comparator the core sleeps on. */
#pragma once

#include <stdint.h>

/* Finds the unit and attaches its interrupt; ends the run if there is none. */
void sync_open(void);
uint32_t sync_counters(void);
uint32_t sync_read(uint32_t counter);
void sync_set(uint32_t counter, uint32_t value);

/* Interrupts once when `counter` reaches `value` (wrap-safe). sync_reached tells, without asking
 * the unit, whether the interrupt armed last has come. */
void sync_arm(uint32_t counter, uint32_t value);
int sync_reached(void);
