// SPDX-License-Identifier: Apache-2.0
/* A program that does not use the HAL. It starts a FILL of the DMA engine in the prefill phase.
 * NOPS instructions later, while the engine works, the program begins the decode phase. Then it
 * waits for the engine and exits with CODE. Its function has a name of 200 characters, like mangled
 * names. */
#include "core/abi/boot_info.h"
#include "ip/dma/regs.h"
#include "ip/hostlink/regs.h"

#define DMA_BASE 0x10030000u /* address of the DMA engine in the system `original` */
#define NAME_(a, b, c, d) a##b##c##d
#define NAME(a) NAME_(a, a, a, a)
#define LONG NAME(long_name_of_fifty_characters_as_templates_have_it_)

static struct levee_descriptor fill __attribute__((aligned(8)));

static void write_word(uint32_t address, uint32_t value)
{
    *(volatile uint32_t*)(uintptr_t)address = value;
}

_Noreturn void LONG(void);
_Noreturn void LONG(void)
{
    write_word(LEVEE_HOSTLINK_BASE + LEVEE_HOSTLINK_PHASE, LEVEE_PHASE_PREFILL);
    write_word(DMA_BASE + LEVEE_CMD_SUBMIT, 1);
#define TEXT(x) #x
#define NOP(n)                                                                                     \
    __asm__ volatile(".option push\n.option norvc\n.rept " TEXT(n) "\nnop\n.endr\n.option pop")
    NOP(NOPS);
    write_word(LEVEE_HOSTLINK_BASE + LEVEE_HOSTLINK_PHASE, LEVEE_PHASE_DECODE);
    while ((*(volatile uint32_t*)(DMA_BASE + LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_EMPTY) == 0) {
    }
    write_word(LEVEE_HOSTLINK_BASE + LEVEE_HOSTLINK_EXIT, CODE);
    for (;;) {
    }
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
    operation->destination = 0x100000000u;
    operation->count[0] = operation->count[1] = operation->count[2] = 1;
    operation->run_bytes = 4096;
    operation->fill = 5;
}

_Noreturn void start(void);
_Noreturn void start(void)
{
    describe();
    write_word(DMA_BASE + LEVEE_CMD_ADDRESS_LO, (uint32_t)(uintptr_t)&fill);
    write_word(DMA_BASE + LEVEE_CMD_ADDRESS_HI, 0);
    LONG();
}

__attribute__((naked, section(".text.first"))) void _start(void)
{
    __asm__ volatile("li sp, 0x80010000\n j start");
}
