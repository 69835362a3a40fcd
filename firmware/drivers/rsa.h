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

/* Returns the number of arrays in the system. Queues that share an array count once. */
uint32_t rsa_count(void);

/* Returns the number of columns of the first array. */
uint32_t rsa_columns(void);

/* rsa_hz returns the array's clock in Hz. rsa_load_bytes_per_second returns the rate at which the
 * array loads a stationary operand. Both return 0 if there is no array. */
uint32_t rsa_hz(void);
uint64_t rsa_load_bytes_per_second(void);

/* Returns the number of passes that the array needs for the product of a 16-bit and an 8-bit
 * operand. */
uint32_t rsa_passes(void);

/* Returns the greatest number of rows of A for an operand B that passes only once, on a stream
 * port; 0 if there is no array. */
uint32_t rsa_stream_rows(void);

/* Returns how many times the array reads each of `rows` rows of A for a product with `columns`
 * columns; 0 if there is no array. */
uint32_t rsa_reads(uint32_t rows, uint32_t columns);

/* Returns whether a weight-stationary array loads INT8 weights without losing time, in a product
 * with this many rows of INT16 elements. The rows must occupy the array for at least as long as
 * loading the next weights takes. False if there is no array. */
bool rsa_hides_loads(uint32_t rows);

enum rsa_ring { RSA_RING_WEIGHTS = 0, RSA_RING_KV = 1 };

struct rsa_ring_place {
    uint64_t address;
    uint32_t bytes;  /* 0: none */
    uint32_t stride; /* Distance to a second part of the same size; 0: no second part. */
};

/* Sets the ring that stages operands of `array`, from now on. */
void rsa_set_ring(const struct levee_block_info* array, enum rsa_ring ring,
                  const struct rsa_ring_place* place);

static inline struct levee_rsa_operation* rsa_operation(struct levee_descriptor* descriptor)
{
    return (struct levee_rsa_operation*)(void*)descriptor->operation;
}
