// SPDX-License-Identifier: Apache-2.0
/* Traps forever, in a way selected by WRONG. */
#include "firmware/hal/csr.h"
#include "firmware/hal/timer.h"
#include "ip/sync/regs.h"
#include "test/firmware/checks/wrong.h"

#define SET_MTVEC(handler) __asm__ volatile("csrw mtvec, %0" ::"r"(handler) : "memory")

static void ignore(void* context)
{
    (void)context;
}

__attribute__((aligned(4), interrupt("machine"))) static void return_at_once(void) {}

int main(void)
{
#if WRONG == 1 /* The handler does not disarm the comparator. */
    const struct levee_block_info* sync = system_block(LEVEE_BLOCK_SYNC);
    sync_open();
    irq_attach(sync->irq, ignore, NULL);
    sync_set(0, 1);
    sync_arm(0, 1);
#elif WRONG == 2 /* The handler returns to the failing load. */
    SET_MTVEC(return_at_once);
    return (int)mmio_read32(0x00100000u);
#elif WRONG == 3 /* There is no handler. */
    SET_MTVEC(0);
    return (int)mmio_read32(0x00100000u);
#elif WRONG == 5 /* An ebreak executes without a debugger. */
    __asm__ volatile("ebreak");
#elif WRONG == 6 /* An ecall executes without a handler for it. */
    __asm__ volatile("ecall");
#elif WRONG == 7 /* Completes an interrupt that was not claimed. */
    sync_open();
    mmio_write32(LEVEE_PLIC_BASE + 0x200004u, system_block(LEVEE_BLOCK_SYNC)->irq);
    return 0;
#else            /* The handler of the timer does not set the next time. */
    SET_MTVEC(return_at_once);
    timer_alarm(0, ignore, NULL);
#endif
    (void)ignore;
    (void)return_at_once;
    for (;;)
        ;
}
