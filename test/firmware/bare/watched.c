// SPDX-License-Identifier: Apache-2.0
/* Accesses for a debugger to watch, each at a label. There are consecutive stores, compressed
 * stores, stores of two bytes, atomics, and a block's FILL while the core waits. */
#include "core/abi/boot_info.h"
#include "ip/dma/regs.h"
#include "ip/hostlink/regs.h"

#define DMA_BASE 0x10030000u /* the DMA engine of the system `original` */

extern volatile uint32_t cells[4];
volatile uint32_t cells[4];
extern volatile uint8_t halves[2];
volatile uint8_t halves[2] __attribute__((aligned(2)));

static struct levee_descriptor fill __attribute__((aligned(8)));
static uint8_t stack[1024] __attribute__((aligned(16), used));

_Noreturn void start(void);
_Noreturn void watched(void);

static void write_word(uint32_t address, uint32_t value)
{
    *(volatile uint32_t*)(uintptr_t)address = value;
}

static void describe(void)
{
    struct levee_dma_operation* const operation = (struct levee_dma_operation*)fill.operation;
    fill.magic = LEVEE_DESCRIPTOR_MAGIC;
    fill.opcode = LEVEE_DMA_FILL;
    for (unsigned i = 0; i < sizeof fill.wait_counter; ++i)
        fill.wait_counter[i] = LEVEE_NO_COUNTER;
    for (unsigned i = 0; i < sizeof fill.signal_counter; ++i)
        fill.signal_counter[i] = LEVEE_NO_COUNTER;
    operation->destination = (uintptr_t)&cells[2];
    operation->count[0] = operation->count[1] = operation->count[2] = 1;
    operation->run_bytes = 8;
    operation->fill = 7;
}

_Noreturn void watched(void)
{
    describe();
    __asm__ volatile(".option push\n.option norelax\n.option norvc\n"
                     "la t1, cells\n la t3, cells + 4\n la t5, halves\n li t0, 5\n"
                     "store_0: sw t0, 0(t1)\n"
                     "store_1: sw t0, 4(t1)\n"
                     "store_2: sw t0, 8(t1)\n"
                     "behind_stores: mv a5, t1\n li a4, 6\n"
                     ".option pop\n"
                     "short_store: c.sw a4, 0(a5)\n"
                     "short_load: c.lw a3, 4(a5)\n"
                     "behind_load: li t6, 0x201\n"
                     "both_halves: sh t6, 0(t5)\n"
                     "behind_halves: nop\n"
                     "add: amoadd.w t2, t0, (t1)\n"
                     "reserve: lr.w t2, (t3)\n"
                     "conditional: sc.w t4, a4, (t3)\n"
                     "fails: sc.w t4, t0, (t3)\n"
                     "behind_fails: nop\n" ::
                         : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5", "memory");
    write_word(DMA_BASE + LEVEE_CMD_ADDRESS_LO, (uint32_t)(uintptr_t)&fill);
    write_word(DMA_BASE + LEVEE_CMD_ADDRESS_HI, 0);
    write_word(DMA_BASE + LEVEE_CMD_SUBMIT, 1);
    while ((*(volatile uint32_t*)(DMA_BASE + LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_EMPTY) == 0) {
    }
    write_word(LEVEE_HOSTLINK_BASE + LEVEE_HOSTLINK_EXIT, CODE);
    for (;;) {
    }
}

_Noreturn __attribute__((naked)) void start(void)
{
    __asm__ volatile(
        ".option norelax\n la gp, __global_pointer$\n la sp, stack + 1024\n j watched");
}
