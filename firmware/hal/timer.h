// SPDX-License-Identifier: Apache-2.0
/* The core's time and counters. */
#pragma once

#include "firmware/hal/csr.h"
#include "firmware/hal/irq.h"

#include <stdint.h>

static inline uint64_t timer_cycles(void)
{
    return CSR_READ64(mcycle, mcycleh);
}

static inline uint64_t timer_instructions(void)
{
    return CSR_READ64(minstret, minstreth);
}

/* Returns mtime, in ticks of boot_info.timebase_hz. */
uint64_t timer_ticks(void);

/* Registers handler(context) and sets an alarm. The timer interrupt calls the handler once mtime
 * has reached `ticks`. There is one alarm: a new alarm replaces a pending one. */
void timer_alarm(uint64_t ticks, irq_handler handler, void* context);

/* Sleeps until mtime has reached `ticks`. Replaces a pending alarm. */
void timer_sleep_until(uint64_t ticks);
