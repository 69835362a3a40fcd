// SPDX-License-Identifier: Apache-2.0
/* UART, the 16550's register names and bits at its usual offsets (byte registers, stride 1). Only
 * what polled output and interrupt-driven input need: no baud rate, no modem lines, no FIFO depth.
 */
#pragma once

#define LEVEE_UART_RBR 0u /* RO  next received byte, 0 if none */
#define LEVEE_UART_THR 0u /* WO  byte to send */
#define LEVEE_UART_IER 1u /* RW  interrupt enable: bit 0 received data available */
#define LEVEE_UART_LCR 3u /* RW  kept, no effect */
#define LEVEE_UART_LSR 5u /* RO  LSR_* */

#define LEVEE_UART_IER_RX 0x01u
#define LEVEE_UART_LSR_DATA_READY 0x01u
#define LEVEE_UART_LSR_THR_EMPTY 0x20u
#define LEVEE_UART_LSR_IDLE 0x40u
