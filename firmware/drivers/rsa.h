// SPDX-License-Identifier: Apache-2.0
/* The systolic array: its queue, and its operation inside a descriptor (ip/rsa/regs.h). */
#pragma once

#include "firmware/drivers/command_queue.h"
#include "ip/rsa/regs.h"

#include <stdbool.h>

/* Ends the run if this system has no systolic array. */
static inline void rsa_open(struct command_queue* queue)
{
    command_queue_open(queue, LEVEE_BLOCK_RSA, "systolic array");
}

/* Processing elements of an array. */
uint32_t rsa_pe_count(const struct levee_block_info* array);

/* Arrays of the system; queues that share one count once. */
uint32_t rsa_count(void);

/* Columns of the first array. */
uint32_t rsa_columns(void);

/* Clock of the array, and the bytes per second at which it loads a stationary operand. 0 without
 * an array. */
uint32_t rsa_hz(void);
uint64_t rsa_load_bytes_per_second(void);

/* Passes for the product of a 16-bit and an 8-bit operand. */
uint32_t rsa_passes(void);

/* Largest number of rows of A for a B that comes only once, on a stream port. 0 without an
 * array. */
uint32_t rsa_stream_rows(void);

/* The number of reads of each of `rows` rows of A, for a product of `columns` columns. 0 without
 * an array. */
uint32_t rsa_reads(uint32_t rows, uint32_t columns);

/* Whether this many rows of INT16 elements occupy the array for as long as it loads the next
 * INT8 weights, in a weight-stationary array. False without an array. */
bool rsa_hides_loads(uint32_t rows);

enum rsa_ring { RSA_RING_WEIGHTS = 0, RSA_RING_KV = 1 };

struct rsa_ring_place {
    uint64_t address;
    uint32_t bytes;  /* 0: none */
    uint32_t stride; /* Distance to a second part of the same size; 0: no second part. */
};

/* Sets the ring through which operands of `array` are staged from now on. */
void rsa_set_ring(const struct levee_block_info* array, enum rsa_ring ring,
                  const struct rsa_ring_place* place);

static inline struct levee_rsa_operation* rsa_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_rsa_operation*)(void*)descriptor->operation;
}
