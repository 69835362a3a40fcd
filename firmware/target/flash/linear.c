// SPDX-License-Identifier: Apache-2.0
/* A product with weights: the first rows of the matrix are multiplied by the cores of the flash,
 * the others pass on a stream port to the array. A matrix that is in memory is the array's. */
#include "firmware/drivers/rsa.h"
#include "firmware/target/flash/lower.h"
#include "ip/common/boot_info.h"

#include <stddef.h>

const struct levee_flash_kept* flash_kept(const struct lowering* lowering,
                                          const struct operation* operation)
{
    const struct model* model = lowering->model;
    const uint64_t first = model->address + model->header.kept_offset;
    if (operation->matrix->kept == 0)
        return NULL;
    return &flash_machine(lowering)
                ->kept[(operation->matrix->kept - first) / sizeof(struct levee_flash_kept)];
}

static bool flash_takes(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    (void)pass;
    return flash_kept(lowering, operation) != NULL;
}

static bool array_takes(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    (void)pass;
    const struct levee_flash_kept* kept = flash_kept(lowering, operation);
    return kept == NULL || kept->data_pages != 0;
}

/* The tiles' part of a COMPUTE. */
static void compute(const struct lowering* lowering, const struct operation* operation,
                    const struct levee_flash_kept* kept, struct levee_flash_operation* out)
{
    const struct operand* in = &lowering->values[operation->reads[0]];
    out->input = in->data;
    out->input_scale = in->scale;
    out->weight_scale = operation->matrix->scale;
    out->bias = operation->matrix->bias;
    out->result = lowering->values[operation->writes].data;
    out->rows = kept->flash_rows;
    out->columns = kept->columns;
    out->core_rows = kept->core_rows;
    out->core_columns = kept->core_columns;
    out->page = kept->page;
    out->plane = kept->plane;
    out->split = kept->split;
    out->weight_bits = kept->weight_bits;
    out->input_bytes = kept->input_bytes;
    out->result_bytes = kept->result_bytes;
    out->result_shift = kept->result_shift;
}

static void lower_in_flash(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)pass;
    const struct levee_flash_kept* kept = flash_kept(lowering, operation);
    struct levee_flash_operation* out = flash_operation(descriptor);
    descriptor->opcode = kept->flash_rows != 0 ? LEVEE_FLASH_COMPUTE : LEVEE_FLASH_READ;
    if (kept->flash_rows != 0)
        compute(lowering, operation, kept, out);
    if (kept->data_pages == 0)
        return;
    out->data = LEVEE_STREAM(LEVEE_PORT_WEIGHTS);
    out->data_page = kept->data_page;
    out->data_pages = kept->data_pages;
    out->data_plane = kept->data_plane;
}

/* The rows behind the flash's. */
static void take_rest(const struct levee_flash_kept* kept, struct levee_rsa_operation* out)
{
    const uint64_t before = (uint64_t)kept->flash_rows * FP32_BYTES;
    out->b = LEVEE_STREAM(LEVEE_PORT_WEIGHTS);
    out->b_scale += before;
    out->bias += out->bias != 0 ? before : 0;
    out->out += before;
    out->n = kept->rows - kept->flash_rows;
}

static void lower_on_array(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_flash_kept* kept = flash_kept(lowering, operation);
    struct levee_rsa_operation* out = rsa_operation(descriptor);
    lower_linear(lowering, pass, operation, descriptor);
    if (flash_machine(lowering)->input_bytes != INT16_BYTES) {
        out->a_type = LEVEE_TYPE_INT8;
        out->a_stride[2] /= INT16_BYTES;
    }
    if (kept != NULL)
        take_rest(kept, out);
}

static const struct partner linear[] = {
    {.unit_class = FLASH_CLASS_FLASH, .lower = lower_in_flash, .takes = flash_takes},
    {.unit_class = FLASH_CLASS_ARRAY, .lower = lower_on_array, .takes = array_takes},
};

const struct partners flash_linear = {.list = linear, .count = sizeof linear / sizeof *linear};
