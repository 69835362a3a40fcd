// SPDX-License-Identifier: Apache-2.0
/* Waits without an end, by the number in WRONG. */
#include "ip/sync/regs.h"
#include "test/firmware/mistakes/wrong.h"

#if WRONG == 1 /* the handler claims the interrupt and does not complete it: there is no second */

#define PLIC_CLAIM (LEVEE_PLIC_BASE + 0x200004u)

static volatile uint32_t handled;

__attribute__((aligned(4), interrupt("machine"))) static void claim(void)
{
    (void)mmio_read32(PLIC_CLAIM);
    mmio_write32(system_block(LEVEE_BLOCK_SYNC)->base + LEVEE_SYNC_IRQ_ENABLE, 0);
    ++handled;
}

static bool handled_twice(void* context)
{
    (void)context;
    return handled == 2;
}

int main(void)
{
    sync_open();
    __asm__ volatile("csrw mtvec, %0" ::"r"(claim) : "memory");
    sync_set(0, 1);
    sync_arm(0, 1);
    while (handled == 0)
        ;
    sync_arm(0, 1);
    irq_wait_until(handled_twice, NULL);
    return 0;
}

#else /* the product waits for counter 5, which nobody adds to, and the core for the product */

static struct levee_descriptor product __attribute__((aligned(8)));

int main(void)
{
    struct command_queue rsa;
    sync_open();
    rsa_open(&rsa);
    descriptor_init(&product, LEVEE_RSA_GEMM, 42);
    descriptor_wait(&product, 0, 5, 3);
    descriptor_signal(&product, 0, 0);
    sync_arm(0, 1);
    command_queue_submit(&rsa, &product, 1);
    irq_wait_until(armed_reached, NULL);
    return 0;
}

#endif
