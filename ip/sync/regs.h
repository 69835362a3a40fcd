// SPDX-License-Identifier: Apache-2.0
/* Sync unit: counters that accelerators wait for and add to, and one comparator for the core.
 * All registers are 32 bits wide. */
#pragma once

#define LEVEE_BLOCK_SYNC 1u

#define LEVEE_SYNC_ID 0x00u          /* RO  LEVEE_BLOCK_SYNC */
#define LEVEE_SYNC_COUNTERS 0x04u    /* RO  number of counters */
#define LEVEE_SYNC_IRQ_COUNTER 0x08u /* RW  counter that the comparator watches */
#define LEVEE_SYNC_IRQ_VALUE 0x0Cu   /* RW  interrupt while counter - value >= 0 (signed) */
#define LEVEE_SYNC_IRQ_ENABLE 0x10u  /* RW  bit 0 enables the interrupt */
#define LEVEE_SYNC_VALUE(i) (0x100u + 4u * (i)) /* RW  counter i; a write sets it */
#define LEVEE_SYNC_ADD(i) (0x200u + 4u * (i))   /* WO  adds to counter i */

#define LEVEE_SYNC_MAX_COUNTERS 64u
