// SPDX-License-Identifier: Apache-2.0
/* stdin, stdout and stderr over the UART, by polling. */
#include "core/abi/boot_info.h"
#include "firmware/hal/mmio.h"
#include "ip/uart/regs.h"

#include <stdio.h>

static int uart_put(char byte, FILE* file)
{
    (void)file;
    while (!(mmio_read8(LEVEE_UART_BASE + LEVEE_UART_LSR) & LEVEE_UART_LSR_THR_EMPTY))
        ;
    mmio_write8(LEVEE_UART_BASE + LEVEE_UART_THR, (uint8_t)byte);
    return (unsigned char)byte;
}

/* All input (`levee run --stdin FILE`) is available from the start. A receiver without a byte is
 * therefore at the end of the input. */
static int uart_get(FILE* file)
{
    (void)file;
    if (!(mmio_read8(LEVEE_UART_BASE + LEVEE_UART_LSR) & LEVEE_UART_LSR_DATA_READY))
        return _FDEV_EOF;
    return mmio_read8(LEVEE_UART_BASE + LEVEE_UART_RBR);
}

static FILE uart = FDEV_SETUP_STREAM(uart_put, uart_get, NULL, _FDEV_SETUP_RW);
FILE* const stdin = &uart;
FILE* const stdout = &uart;
FILE* const stderr = &uart;
