// SPDX-License-Identifier: Apache-2.0
/* Registers of the command queue, which every accelerator block has at the start of its page.
 * All are 32 bits wide, and are read and written as aligned words. */
#pragma once

#define LEVEE_CMD_ID 0x00u         /* RO  the component's number in boot_info */
#define LEVEE_CMD_CONTROL 0x04u    /* RW  CONTROL_* */
#define LEVEE_CMD_STATUS 0x08u     /* RO  STATUS_* */
#define LEVEE_CMD_ADDRESS_LO 0x0Cu /* RW  address of the descriptors of the next submission */
#define LEVEE_CMD_ADDRESS_HI 0x10u /* RW */
#define LEVEE_CMD_SUBMIT 0x14u     /* WO  doorbell: submits n > 0 descriptors, from ADDRESS on */
#define LEVEE_CMD_FREE 0x18u       /* RO  number of descriptors for which the queue has room */
#define LEVEE_CMD_DONE_COUNT 0x1Cu /* RO  descriptors completed since reset, wraps */
#define LEVEE_CMD_IRQ_STATUS 0x20u /* RW  IRQ_*; write 1 to clear */
#define LEVEE_CMD_IRQ_ENABLE 0x24u /* RW  IRQ_* */
#define LEVEE_CMD_ERROR_CODE 0x28u /* RO  enum levee_command_error of the first error, 0 none */
/* RO  number of descriptors that the queue took before the faulty one */
#define LEVEE_CMD_ERROR_INDEX 0x2Cu
#define LEVEE_CMD_ERROR_FIELD 0x30u /* RO  byte offset of the faulty field (descriptor.h) */
#define LEVEE_CMD_ERROR_TAG 0x34u   /* RO  tag of the faulty descriptor */
#define LEVEE_CMD_BLOCK_REGS 0x80u  /* first block-specific register */

#define LEVEE_CMD_CONTROL_RESET 0x1u /* empties the queue and clears the error; reads as 0 */

#define LEVEE_CMD_STATUS_BUSY 0x1u    /* a descriptor is being executed or waits */
#define LEVEE_CMD_STATUS_EMPTY 0x2u   /* no descriptor is queued or running */
#define LEVEE_CMD_STATUS_STOPPED 0x4u /* an error stopped the queue; CONTROL_RESET restarts it */

#define LEVEE_CMD_IRQ_DONE 0x1u  /* a descriptor with LEVEE_DESC_IRQ completed */
#define LEVEE_CMD_IRQ_ERROR 0x2u /* the queue stopped */

enum levee_command_error {
    LEVEE_ERROR_NONE = 0,
    LEVEE_ERROR_MAGIC = 1,    /* no descriptor at this address */
    LEVEE_ERROR_OPCODE = 2,   /* the block has no such operation */
    LEVEE_ERROR_FIELD = 3,    /* a field is outside its range */
    LEVEE_ERROR_ADDRESS = 4,  /* a tensor is (partly) outside memory, or is misaligned */
    LEVEE_ERROR_TYPE = 5,     /* element type that the operation does not support */
    LEVEE_ERROR_OVERFLOW = 6, /* more descriptors submitted than the queue has space for */
    LEVEE_ERROR_COUNTER = 7,  /* a wait or signal names a sync counter that does not exist */
    LEVEE_ERROR_STREAM = 8,   /* the stream port does not exist, or its producer and consumer
                               * have different shapes */
    LEVEE_ERROR_FETCH = 9,    /* the descriptor could not be read */
    LEVEE_ERROR_VERSION = 10  /* the queue does not know the descriptor's version */
};
