// SPDX-License-Identifier: Apache-2.0
/* Traps and interrupts. Exceptions end the run. External interrupts go through the PLIC to the
 * handler of their source. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef void (*irq_handler)(void* context);

void irq_open(void);

/* Registers handler(context). It is called whenever PLIC source `irq` (1 to 63) interrupts. */
void irq_attach(uint32_t irq, irq_handler handler, void* context);

/* Registers handler(context). It is called once, at the next timer interrupt (timer_alarm() in
 * timer.h). */
void irq_attach_timer(irq_handler handler, void* context);

/* Sleeps until condition(context) holds. The condition is evaluated with interrupts disabled, first
 * at once and then after each interrupt, so that no interrupt is lost. */
void irq_wait_until(bool (*condition)(void* context), void* context);
