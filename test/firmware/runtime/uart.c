// SPDX-License-Identifier: Apache-2.0
/* A typical driver of a 16550. It detects the device by its scratch register and by loopback, and
 * sets the divisor and the FIFOs. Then it sends bytes with the transmitter's interrupt and echoes
 * the received bytes. */
#include "core/abi/boot_info.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "ip/uart/regs.h"

#include <stdbool.h>

static uint8_t get(unsigned offset)
{
    return mmio_read8(LEVEE_UART_BASE + offset);
}

static void set(unsigned offset, unsigned value)
{
    mmio_write8(LEVEE_UART_BASE + offset, (uint8_t)value);
}

static bool is_there(void)
{
    set(LEVEE_UART_SCR, 0xA5);
    const bool keeps = get(LEVEE_UART_SCR) == 0xA5;
    set(LEVEE_UART_MCR, LEVEE_UART_MCR_LOOP | LEVEE_UART_MCR_OUT2 | LEVEE_UART_MCR_RTS);
    const bool loops = (get(LEVEE_UART_MSR) & 0xF0) == (LEVEE_UART_MSR_DCD | LEVEE_UART_MSR_CTS);
    set(LEVEE_UART_THR, 'x');
    const bool echoes = get(LEVEE_UART_RBR) == 'x';
    set(LEVEE_UART_MCR, LEVEE_UART_MCR_DTR | LEVEE_UART_MCR_RTS | LEVEE_UART_MCR_OUT2);
    return keeps && loops && echoes && (get(LEVEE_UART_MSR) & 0xF0) == 0xB0;
}

static void initialise(void)
{
    set(LEVEE_UART_IER, 0);
    set(LEVEE_UART_LCR, LEVEE_UART_LCR_DLAB);
    set(LEVEE_UART_DLL, 1);
    set(LEVEE_UART_DLM, 0);
    set(LEVEE_UART_LCR, 3);
    set(LEVEE_UART_FCR,
        LEVEE_UART_FCR_ENABLE | LEVEE_UART_FCR_CLEAR_RX | LEVEE_UART_FCR_CLEAR_TX | 0x80);
}

static const char* text = "sent by interrupts\n";
static unsigned interrupts, received;

static void serve(void* context)
{
    (void)context;
    ++interrupts;
    for (;;) {
        switch (get(LEVEE_UART_IIR) & 0x0F) {
        case LEVEE_UART_IIR_RX:
        case LEVEE_UART_IIR_RX_TIMEOUT:
            while ((get(LEVEE_UART_LSR) & LEVEE_UART_LSR_DATA_READY) != 0) {
                set(LEVEE_UART_THR, get(LEVEE_UART_RBR));
                ++received;
            }
            break;
        case LEVEE_UART_IIR_TX:
            for (unsigned i = 0; i < 4 && *text != '\0'; ++i)
                set(LEVEE_UART_THR, *text++);
            if (*text == '\0')
                set(LEVEE_UART_IER, LEVEE_UART_IER_RX);
            break;
        default:
            return;
        }
    }
}

static bool is_done(void* context)
{
    (void)context;
    return *text == '\0' && received == 4;
}

int main(void)
{
    if (!is_there())
        return 5;
    initialise();
    irq_attach(LEVEE_UART_IRQ, serve, 0);
    set(LEVEE_UART_IER, LEVEE_UART_IER_RX | LEVEE_UART_IER_TX);
    irq_wait_until(is_done, 0);
    return interrupts == 0;
}
