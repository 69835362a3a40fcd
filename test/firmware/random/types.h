/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the table of operations and fields that table.cpp writes. */
#pragma once

#include <stdint.h>

enum random_kind {
    RANDOM_ADDRESS,
    RANDOM_STRIDE,
    RANDOM_SIZE, /* a size, a flag or an enumeration */
    RANDOM_PORT, /* 1 + a stream port, or 0 */
    RANDOM_FLOAT,
    RANDOM_BYTES
};

struct random_field {
    const char* name;
    uint16_t at;     /* Offset in the operation. */
    uint8_t kind;    /* one of enum random_kind */
    uint8_t bytes;   /* Bytes of one element. */
    uint16_t count;  /* number of elements */
    uint16_t values; /* Number of values of an enumeration that starts at 0; 0: no enumeration. */
};

struct random_type {
    uint32_t number; /* the component's number in the boot_info table */
    const char* name;
    uint16_t operation_bytes;
    uint16_t opcode_count, field_count;
    const uint8_t* opcodes;
    const char* const* names;
    const struct random_field* fields;
};
