// SPDX-License-Identifier: Apache-2.0
/* Traps and interrupts: exceptions end the run, external interrupts go through the PLIC to the
 * handler of their source. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef void (*irq_handler)(void* context);

void irq_open(void);

/* Calls handler(context) whenever PLIC source `irq` (1 to 63) interrupts. */
void irq_attach(uint32_t irq, irq_handler handler, void* context);

/* Calls handler(context) once, when the timer interrupts next (timer_alarm() in timer.h). */
void irq_attach_timer(irq_handler handler, void* context);

/* Sleeps until condition(context) holds. It is evaluated with interrupts off, first at once and
 * then after each interrupt, so that none is lost in between. */
void irq_wait_until(bool (*condition)(void* context), void* context);
