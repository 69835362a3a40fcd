// SPDX-License-Identifier: Apache-2.0
/* Runs two dependent products in crossbars, so that a timeline can show them (run --trace timeline
 * --trace-inside reram). It runs them in three ways: compute, write, compute; layer by layer; and
 * vector by vector (ReTransformer, figures 1 and 3). The programs reram_stages_written, _layers and
 * _vectors run one way each. The contents of the matrices do not matter. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/reram.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

enum { vectors = 6, counter = 0, descriptors = 5 };
#ifndef LEVEE_RERAM_FIRST /* descriptors to submit */
#define LEVEE_RERAM_FIRST 0
#define LEVEE_RERAM_COUNT descriptors
#endif
static struct levee_reram_stage stages[2];
static struct levee_descriptor program[descriptors] __attribute__((aligned(8)));

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* Describes a crossbar's matrix of 8-bit elements. `unit` is the first unit that the matrix
 * occupies. */
static struct levee_reram_stage matrix_at(uint32_t unit)
{
    const uint32_t rows = reram_register(LEVEE_RERAM_ROWS);
    const uint32_t columns = reram_register(LEVEE_RERAM_COLUMNS);
    if (rows != columns || columns < vectors)
        fatal(EXIT_REFUSED,
              "the crossbars are %lu x %lu; expected square crossbars of at least %u lines",
              (unsigned long)rows, (unsigned long)columns, (unsigned)vectors);
    return (struct levee_reram_stage){
        .unit = unit, .rows = rows, .columns = columns, .bits = 8, .lines = columns};
}

static struct levee_reram_operation* describe(uint32_t index, uint8_t opcode,
                                              const struct levee_reram_stage* first, uint8_t count,
                                              uint64_t memory)
{
    struct levee_descriptor* descriptor = &program[index];
    struct levee_reram_operation* out = reram_operation(descriptor);
    const uint32_t width = first->columns;
    descriptor_init(descriptor, opcode, index);
    *out = (struct levee_reram_operation){
        .a = memory,
        .stages = bus_address(first),
        .outer = {1, 1},
        .m1 = vectors,
        .m0 = 1,
        .k = width,
        .alpha = 1.0f,
        .a_type = LEVEE_TYPE_INT8,
        .stage_count = count,
    };
    out->a_stride[2] = (int32_t)width;
    if (opcode == LEVEE_RERAM_PRODUCT) {
        out->out = memory + (uint64_t)vectors * width;
        out->out_stride[2] = (int32_t)(width * sizeof(float));
        out->out_type = LEVEE_TYPE_FP32;
        out->n = width;
    }
    descriptor_signal(descriptor, 0, counter);
    return out;
}

int main(void)
{
    static struct command_queue queue;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_KV);
    if (memory == NULL)
        fatal(EXIT_REFUSED, "this system has no memory for keys and values");
    sync_open();
    reram_open(&queue);
    const uint32_t units = reram_register(LEVEE_RERAM_UNITS);
    stages[0] = matrix_at(0);
    stages[1] = matrix_at(units / 2);
    stages[0].result_bits = 8;
    static struct levee_reram_stage alone[2];
    alone[0] = matrix_at(0);
    alone[1] = matrix_at(units / 2);
    describe(0, LEVEE_RERAM_PRODUCT, &alone[0], 1, memory->free_base);
    describe(1, LEVEE_RERAM_WRITE, &alone[1], 1, memory->free_base);
    describe(2, LEVEE_RERAM_PRODUCT, &alone[1], 1, memory->free_base);
    describe(3, LEVEE_RERAM_PRODUCT, stages, 2, memory->free_base);
    describe(4, LEVEE_RERAM_PRODUCT, stages, 2, memory->free_base)->flags = LEVEE_RERAM_PIPELINED;
    sync_arm(counter, LEVEE_RERAM_COUNT);
    command_queue_submit(&queue, &program[LEVEE_RERAM_FIRST], LEVEE_RERAM_COUNT);
    irq_wait_until(reached, NULL);
    return 0;
}
