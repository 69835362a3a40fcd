// SPDX-License-Identifier: Apache-2.0
/* UART: the registers of a 16550A at its usual offsets (byte registers, stride 1). Baud rate and
 * frame format have no effect. A byte is sent at once; a received byte waits on the line until
 * the program reads it. */
#pragma once

#define LEVEE_UART_RBR 0u /* RO  next received byte, 0 if none; LCR.DLAB: DLL */
#define LEVEE_UART_THR 0u /* WO  byte to send; LCR.DLAB: DLL */
#define LEVEE_UART_DLL 0u /* RW  with LCR.DLAB: divisor, low byte; stored, no effect */
#define LEVEE_UART_IER 1u /* RW  interrupt enable: IER_*; LCR.DLAB: DLM */
#define LEVEE_UART_DLM 1u /* RW  with LCR.DLAB: divisor, high byte; stored, no effect */
#define LEVEE_UART_IIR 2u /* RO  IIR_*: pending interrupt with the highest priority */
#define LEVEE_UART_FCR 2u /* WO  FCR_*: FIFOs */
#define LEVEE_UART_LCR 3u /* RW  frame format (stored, no effect); bit 7: DLAB */
#define LEVEE_UART_MCR 4u /* RW  MCR_*: outputs to a modem; bit 4: loopback */
#define LEVEE_UART_LSR 5u /* RO  LSR_*; a read clears OVERRUN */
#define LEVEE_UART_MSR 6u /* RO  MSR_*: inputs from a modem; a read clears the low four bits */
#define LEVEE_UART_SCR 7u /* RW  scratch register */

#define LEVEE_UART_IER_RX 0x01u /* received data available */
#define LEVEE_UART_IER_TX 0x02u /* transmitter holding register empty */
#define LEVEE_UART_IER_LINE 0x04u
#define LEVEE_UART_IER_MODEM 0x08u

/* In order of priority. A read clears IIR_TX. Bits 6 and 7: FIFOs are enabled. */
#define LEVEE_UART_IIR_LINE 0x06u
#define LEVEE_UART_IIR_RX 0x04u         /* at least as many bytes as FCR's trigger level */
#define LEVEE_UART_IIR_RX_TIMEOUT 0x0Cu /* fewer bytes than the trigger level */
#define LEVEE_UART_IIR_TX 0x02u
#define LEVEE_UART_IIR_MODEM 0x00u
#define LEVEE_UART_IIR_NONE 0x01u
#define LEVEE_UART_IIR_FIFO 0xC0u

#define LEVEE_UART_FCR_ENABLE 0x01u
#define LEVEE_UART_FCR_CLEAR_RX 0x02u /* does not discard bytes that wait on the line */
#define LEVEE_UART_FCR_CLEAR_TX 0x04u
#define LEVEE_UART_FCR_TRIGGER_SHIFT 6u /* trigger level: 1, 4, 8 or 14 bytes */

#define LEVEE_UART_LCR_DLAB 0x80u

#define LEVEE_UART_MCR_DTR 0x01u
#define LEVEE_UART_MCR_RTS 0x02u
#define LEVEE_UART_MCR_OUT1 0x04u
#define LEVEE_UART_MCR_OUT2 0x08u
#define LEVEE_UART_MCR_LOOP 0x10u /* sent bytes are received; MSR shows MCR; the line waits */

#define LEVEE_UART_LSR_DATA_READY 0x01u
#define LEVEE_UART_LSR_OVERRUN 0x02u /* in loopback: FIFO full, byte lost */
#define LEVEE_UART_LSR_THR_EMPTY 0x20u
#define LEVEE_UART_LSR_IDLE 0x40u

#define LEVEE_UART_MSR_CTS 0x10u
#define LEVEE_UART_MSR_DSR 0x20u
#define LEVEE_UART_MSR_RI 0x40u
#define LEVEE_UART_MSR_DCD 0x80u
#define LEVEE_UART_MSR_CHANGES 0x0Fu /* changes of CTS, DSR, DCD, and the end of RI */

#define LEVEE_UART_FIFO_BYTES 16u
