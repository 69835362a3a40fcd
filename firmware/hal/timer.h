// SPDX-License-Identifier: Apache-2.0
/* Time and counts of the core. */
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

/* mtime, in ticks of boot_info.timebase_hz. */
uint64_t timer_ticks(void);

/* Calls handler(context) from the timer's interrupt once mtime has reached `ticks`. There is one
 * alarm: a new one takes the place of one that has not rung. */
void timer_alarm(uint64_t ticks, irq_handler handler, void* context);
