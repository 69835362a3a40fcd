// SPDX-License-Identifier: Apache-2.0
/* A correct program with many traps from one place, all of which are handled. */
#include "test/firmware/checks/wrong.h"

#if WRONG == 1 /* The handler returns to the instruction after each ecall. */

static volatile uint32_t yielded, done;

__attribute__((aligned(4), interrupt("machine"))) static void yield(void)
{
    uint32_t pc;
    __asm__ volatile("csrr %0, mepc" : "=r"(pc));
    __asm__ volatile("csrw mepc, %0" ::"r"(pc + 4));
    done = ++yielded == 20000;
}

int main(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(yield) : "memory");
    do
        __asm__ volatile("ecall" ::: "memory");
    while (done == 0);
    return 0;
}

#else /* Each interrupt is acknowledged, and the comparator is armed again. */

int main(void)
{
    sync_open();
    for (unsigned i = 0; i < 12000; ++i) {
        sync_set(0, 0);
        sync_arm(0, 1);
        sync_set(0, 1);
        irq_wait_until(armed_reached, NULL);
    }
    return 0;
}

#endif
