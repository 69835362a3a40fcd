// SPDX-License-Identifier: Apache-2.0
/* The descriptor every component with a queue executes (plain C: firmware includes this very file).
 *
 * A descriptor is one operation with its loop nest, not one tile. It is LEVEE_DESCRIPTOR_BYTES
 * long, little endian, 8-byte aligned, and lives anywhere the accelerators can read. The first
 * 80 bytes, its head, are the same for all components; the rest is the operation, whose layout
 * belongs to the component (struct levee_<component>_operation in its regs.h).
 *
 * Life of a descriptor: submitted (doorbell) -> fetched, with its continuation if it has one -> its
 * head checked -> all four waits satisfied -> indirect operands read -> checked by the component ->
 * executed -> results written -> signals raised. A descriptor refused on the way stops the queue,
 * which reports a code, the byte offset of the field at fault, the index and the tag
 * (core/abi/command_regs.h); no result of a refused descriptor has been written.
 *
 * Versions. The byte `version` determines the layout of the other 255; a queue refuses an unknown
 * version with LEVEE_ERROR_VERSION.
 *
 *   LEVEE_DESCRIPTOR_V1   The operation has at most 176 bytes, all in the descriptor. Zeroes in
 *                         the head's reserved bytes select it, so descriptors built before there
 *                         were versions are of this one.
 *   LEVEE_DESCRIPTOR_V2   The operation may be longer. Its first LEVEE_DESCRIPTOR_INLINE_BYTES are
 *                         in the descriptor, and the last 8 bytes of the descriptor are the address
 *                         of the others, 8-byte aligned, in one memory; `continuation_bytes` is
 *                         their number, exactly the component's operation minus its inline bytes:
 *                         an operation that ends within them has address and length 0. Either
 *                         version is valid for an operation of up to 176 bytes.
 *
 * Offsets of fields, in errors and in indirect operands, refer to the descriptor's bytes in
 * memory; those of the continuation start at LEVEE_DESCRIPTOR_BYTES. The continuation is read
 * with the descriptor, before its waits, and takes another fetch time for every
 * LEVEE_DESCRIPTOR_BYTES begun; unlike the descriptor's own fetch, this is not hidden behind the
 * previous operation. It must not change until the operation has completed.
 */
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

/* descriptor.opcode of every block: waits and signals only. Firmware uses it for waits that exceed
 * a descriptor's four, since a queue executes in order. */
#define LEVEE_OPCODE_FENCE 0xFFu

/* descriptor.version */
#define LEVEE_DESCRIPTOR_V1 0u
#define LEVEE_DESCRIPTOR_V2 2u
#define LEVEE_DESCRIPTOR_INLINE_BYTES 168u    /* V2: of the operation */
#define LEVEE_DESCRIPTOR_CONTINUATION_AT 248u /* V2: byte of the 64-bit address of the others */

/* descriptor.flags */
#define LEVEE_DESC_IRQ 0x01u /* set the queue's DONE interrupt when this descriptor completes */
/* Nobody reads the block's first (rsa a, sfu x, dma source) or second (rsa b, sfu y) operand,
 * scales included, after this operation: memories that refresh their data may stop doing so.
 * Invalid for an operand that the results overwrite part by part (signal_every).
 */
#define LEVEE_DESC_LAST_READ_0 0x10u
#define LEVEE_DESC_LAST_READ_1 0x20u

/* A tensor address in this range names a stream port instead of memory: the operand comes from,
 * or goes to, a block that runs concurrently. */
#define LEVEE_STREAM_BASE 0xFFFFFF0000000000ull
#define LEVEE_STREAM(port) (LEVEE_STREAM_BASE | (uint64_t)(port))

/* An indirect operand: when the operation starts, the 32-bit word at `source` is read, multiplied
 * by `multiplier` and added to the descriptor field at byte `field_offset` (`field_bytes` 4 or 8
 * wide). source = 0: unused. */
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
    uint32_t tag;            /* firmware's own; shown in traces and errors */
    uint8_t wait_counter[4]; /* start when counter - wait_value >= 0 as signed 32 bit */
    uint32_t wait_value[4];
    uint8_t signal_counter[2];
    uint8_t version;   /* LEVEE_DESCRIPTOR_V* */
    uint8_t reserved0; /* 0 */
    uint16_t signal_add[2];
    uint32_t signal_every[2]; /* 0: once, at the end; k: after every k iterations of the outermost
                                 loop that the block's regs.h names, and at the end if a rest
                                 remains */
    uint32_t continuation_bytes; /* V1: 0 */
    struct levee_indirect indirect[2];
    uint8_t operation[176]; /* struct levee_<component>_operation, or how it begins */
};

#ifdef __cplusplus
static_assert(sizeof(levee_descriptor) == LEVEE_DESCRIPTOR_BYTES, "descriptor layout");
}
#else
_Static_assert(sizeof(struct levee_descriptor) == LEVEE_DESCRIPTOR_BYTES, "descriptor layout");
#endif
