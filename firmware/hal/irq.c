// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/irq.h"

#include "core/abi/boot_info.h"
#include "firmware/hal/csr.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/mmio.h"

/* PLIC, context 0 = machine mode of hart 0 (RISC-V PLIC specification, memory map). */
#define PLIC_PRIORITY(irq) (LEVEE_PLIC_BASE + 4u * (irq))
#define PLIC_ENABLE(irq) (LEVEE_PLIC_BASE + 0x2000u + 4u * ((irq) / 32u))
#define PLIC_THRESHOLD (LEVEE_PLIC_BASE + 0x200000u)
#define PLIC_CLAIM (LEVEE_PLIC_BASE + 0x200004u)
#define SOURCES 64u

static struct {
    irq_handler handler;
    void* context;
} sources[SOURCES], timer;

void irq_open(void)
{
    mmio_write32(PLIC_THRESHOLD, 0);
    CSR_SET(mie, MIE_MEIE);
    CSR_SET(mstatus, MSTATUS_MIE);
}

void irq_attach(uint32_t irq, irq_handler handler, void* context)
{
    if (irq == 0 || irq >= SOURCES)
        fatal(EXIT_REFUSED, "interrupt source %lu: expected 1 to %u", (unsigned long)irq,
              SOURCES - 1);
    sources[irq].handler = handler;
    sources[irq].context = context;
    mmio_write32(PLIC_PRIORITY(irq), 1);
    mmio_write32(PLIC_ENABLE(irq), mmio_read32(PLIC_ENABLE(irq)) | 1u << (irq % 32u));
}

static void dispatch(void)
{
    uint32_t irq = mmio_read32(PLIC_CLAIM);
    if (irq == 0)
        return;
    if (irq >= SOURCES || sources[irq].handler == 0)
        fatal(EXIT_BLOCK, "interrupt from source %lu, which has no handler", (unsigned long)irq);
    sources[irq].handler(sources[irq].context);
    mmio_write32(PLIC_CLAIM, irq);
}

void irq_attach_timer(irq_handler handler, void* context)
{
    timer.handler = handler;
    timer.context = context;
    CSR_SET(mie, MIE_MTIE);
}

static void dispatch_timer(void)
{
    CSR_CLEAR(mie, MIE_MTIE); /* the interrupt is pending until mtimecmp is set again */
    timer.handler(timer.context);
}

/* Called by trap_entry (boot/trap.S). */
void trap_handle(uint32_t cause, uint32_t epc, uint32_t value);
void trap_handle(uint32_t cause, uint32_t epc, uint32_t value)
{
    if (cause == (MCAUSE_INTERRUPT | MCAUSE_EXTERNAL))
        dispatch();
    else if (cause == (MCAUSE_INTERRUPT | MCAUSE_TIMER))
        dispatch_timer();
    else
        fatal(EXIT_EXCEPTION, "trap: mcause 0x%08lx, mepc 0x%08lx, mtval 0x%08lx",
              (unsigned long)cause, (unsigned long)epc, (unsigned long)value);
}

void irq_wait_until(bool (*condition)(void* context), void* context)
{
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    while (!condition(context)) {
        /* WFI resumes when an interrupt is pending, even while mstatus.MIE is 0 (Privileged
         * Architecture, 3.3.3). The handler runs once MIE is set. */
        __asm__ volatile("wfi");
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
    }
    CSR_SET(mstatus, MSTATUS_MIE);
}
