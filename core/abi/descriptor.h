// SPDX-License-Identifier: Apache-2.0
/* The descriptor that every component with a queue executes. This header is plain C, and
 * firmware includes it, too.
 *
 * A descriptor is one operation with its loop nest, not one tile. It has LEVEE_DESCRIPTOR_BYTES
 * bytes, little endian, aligned to 8 bytes, in any memory that the accelerators can read. The
 * first 80 bytes, its head, are the same for all components. The rest is the operation, whose
 * layout belongs to the component (struct levee_<component>_operation in its regs.h).
 *
 * The steps of a descriptor are: submitted (doorbell) -> fetched, with its continuation if it
 * has one -> head checked -> all four waits satisfied -> indirect operands read -> checked by
 * the component -> executed -> results written -> signals raised. If a check fails, the queue
 * stops and reports a code, the byte offset of the faulty field, the index and the tag
 * (core/abi/command_regs.h). A refused descriptor has written no results.
 *
 * Versions. The byte `version` determines the layout of the other 255. A queue refuses an
 * unknown version with LEVEE_ERROR_VERSION.
 *
 *  LEVEE_DESCRIPTOR_V1   The operation has at most 176 bytes, all in the descriptor. The number
 *                        is 0, so descriptors that were written before versions existed, with
 *                        zeros in the head's reserved bytes, have this version.
 *  LEVEE_DESCRIPTOR_V2   The operation may be longer. The descriptor contains its first
 *                        LEVEE_DESCRIPTOR_INLINE_BYTES bytes. The last 8 bytes of the
 *                        descriptor are the address of the continuation, which has the other
 *                        bytes, 8-byte aligned and in one memory. `continuation_bytes` must be
 *                        the size of the component's operation minus its inline bytes. An
 *                        operation without other bytes has address and length 0. Both versions
 *                        are valid for an operation of up to 176 bytes.
 *
 * Offsets of fields, in errors and in indirect operands, refer to the descriptor's bytes in memory.
 * Offsets in the continuation start at LEVEE_DESCRIPTOR_BYTES. The queue reads the continuation
 * with the descriptor, before its waits. This read takes one more fetch time for every
 * LEVEE_DESCRIPTOR_BYTES bytes, rounded up. Unlike the descriptor's own fetch, the previous
 * operation does not hide this time. The continuation must not change until the operation has
 * completed. */
#pragma once

#include "core/abi/element_type.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEVEE_DESCRIPTOR_BYTES 256u
#define LEVEE_DESCRIPTOR_MAGIC 0x4C44u /* "DL" in memory */
#define LEVEE_NO_COUNTER 0xFFu         /* unused entry of wait_counter and signal_counter */
#define LEVEE_DESCRIPTOR_WAITS 4u

/* Every block has this opcode: the descriptor only waits and signals. If an operation needs more
 * than a descriptor's four waits, firmware puts fences before it. This works because a queue
 * executes in order. */
#define LEVEE_OPCODE_FENCE 0xFFu

/* descriptor.version */
#define LEVEE_DESCRIPTOR_V1 0u
#define LEVEE_DESCRIPTOR_V2 2u
#define LEVEE_DESCRIPTOR_INLINE_BYTES 168u    /* V2: bytes of the operation in the descriptor */
#define LEVEE_DESCRIPTOR_CONTINUATION_AT 248u /* V2: offset of the continuation's address */

/* descriptor.flags */
#define LEVEE_DESC_IRQ 0x01u /* set the queue's DONE interrupt when this descriptor completes */
/* After this operation, nothing reads the block's first (rsa a, sfu x, dma source) or second (rsa
 * b, sfu y) operand again, including its scales. Memory that needs refresh may then stop refreshing
 * it. The flag is invalid for an operand that the results overwrite part by part (signal_every). */
#define LEVEE_DESC_LAST_READ_0 0x10u
#define LEVEE_DESC_LAST_READ_1 0x20u

/* A tensor address in this range names a stream port instead of memory. The operand comes from a
 * block that runs at the same time, or goes to it. */
#define LEVEE_STREAM_BASE 0xFFFFFF0000000000ull
#define LEVEE_STREAM(port) (LEVEE_STREAM_BASE | (uint64_t)(port))

/* An indirect operand. When the operation starts, the queue reads the 32-bit word at `source`
 * and multiplies it by `multiplier`. It adds the product to the descriptor's field at byte
 * `field_offset`, which has 4 or 8 bytes, as `field_bytes` states. source = 0: unused. */
struct levee_indirect {
    uint64_t source;
    int32_t multiplier;
    uint16_t field_offset;
    uint16_t field_bytes;
};

struct levee_descriptor {
    uint16_t magic;          /* LEVEE_DESCRIPTOR_MAGIC */
    uint8_t opcode;          /* an opcode of the block */
    uint8_t flags;           /* LEVEE_DESC_* */
    uint32_t tag;            /* for firmware's use; shown in traces and errors */
    uint8_t wait_counter[4]; /* starts when counter - wait_value >= 0 in signed 32-bit arithmetic */
    uint32_t wait_value[4];
    uint8_t signal_counter[2];
    uint8_t version;   /* LEVEE_DESCRIPTOR_V* */
    uint8_t reserved0; /* 0 */
    uint16_t signal_add[2];
    uint32_t signal_every[2];    /* 0: signals once, at the end; k: signals after every k
                                  * iterations of the outermost loop that the block's regs.h
                                  * names, and at the end if iterations are left */
    uint32_t continuation_bytes; /* V1: 0 */
    struct levee_indirect indirect[2];
    uint8_t operation[176]; /* struct levee_<component>_operation, or its beginning */
};

#ifdef __cplusplus
static_assert(sizeof(levee_descriptor) == LEVEE_DESCRIPTOR_BYTES, "descriptor layout");
}
#else
_Static_assert(sizeof(struct levee_descriptor) == LEVEE_DESCRIPTOR_BYTES, "descriptor layout");
#endif
