// SPDX-License-Identifier: Apache-2.0
/* A product with weights. For one vector, the flash's cores multiply by the first rows of the
 * matrix. The other rows stream through a port to the array, which multiplies by them. For several
 * vectors, as in a prefill (Cambricon-LLM, section III-A), all rows stream to the array, once for
 * all vectors. If the matrix is in memory, only the array multiplies. */
#include "core/abi/boot_info.h"
#include "firmware/drivers/rsa.h"
#include "firmware/target/flash/lower.h"

#include <stddef.h>

const struct levee_flash_kept* flash_kept(const struct lowering* lowering,
                                          const struct operation* operation)
{
    const struct model* model = lowering->model;
    const uint64_t first = model->address + model->header.kept_offset;
    if (operation->matrix->kept == 0)
        return NULL;
    return &flash_records[(operation->matrix->kept - first) / sizeof(struct levee_flash_kept)];
}

static bool flash_takes(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    (void)pass;
    return flash_kept(lowering, operation) != NULL;
}

/* The cores compute only products with a single vector. */
static bool cores_compute(const struct levee_flash_kept* kept, const struct pass* pass,
                          const struct operation* operation)
{
    return kept->flash_rows != 0 && lower_linear_rows(pass, operation) == 1;
}

static bool array_takes(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    const struct levee_flash_kept* kept = flash_kept(lowering, operation);
    return kept == NULL || kept->data_pages != 0 || !cores_compute(kept, pass, operation);
}

/* Sets the positions of the tiles. */
static void set_tiles(const struct levee_flash_kept* kept, struct levee_flash_operation* out)
{
    out->rows = kept->flash_rows;
    out->columns = kept->columns;
    out->core_rows = kept->core_rows;
    out->core_columns = kept->core_columns;
    out->page = kept->page;
    out->plane = kept->plane;
    out->split = kept->split;
    out->weight_bits = kept->weight_bits;
    out->rest_shift = kept->rest_shift;
}

/* Sets the input and result vectors of a COMPUTE. */
static void set_vectors(const struct lowering* lowering, const struct operation* operation,
                        const struct levee_flash_kept* kept, struct levee_flash_operation* out)
{
    const struct operand* in = &lowering->values[operation->reads[0]];
    out->input = in->data;
    out->input_scale = in->scale;
    out->weight_scale = operation->matrix->scale;
    out->bias = operation->matrix->bias;
    out->result = lowering->values[operation->writes].data;
    out->input_bytes = kept->input_bytes;
    out->result_bytes = kept->result_bytes;
    out->result_shift = kept->result_shift;
}

static void lower_in_flash(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_flash_kept* kept = flash_kept(lowering, operation);
    struct levee_flash_operation* out = flash_operation(descriptor);
    const bool computes = cores_compute(kept, pass, operation);
    descriptor->opcode = computes ? LEVEE_FLASH_COMPUTE : LEVEE_FLASH_READ;
    if (kept->flash_rows != 0)
        set_tiles(kept, out);
    if (computes) {
        set_vectors(lowering, operation, kept, out);
    } else if (kept->flash_rows != 0) {
        descriptor->opcode = LEVEE_FLASH_FETCH;
        out->row_bytes = kept->row_bytes;
    }
    if (kept->data_pages == 0 && computes)
        return;
    out->data = LEVEE_STREAM(LEVEE_PORT_WEIGHTS);
    out->data_page = kept->data_page;
    out->data_pages = kept->data_pages;
    out->data_plane = kept->data_plane;
}

/* Makes the array read the matrix's rows from the flash, beginning with row `first`. */
static void take_rows(const struct levee_flash_kept* kept, uint32_t first,
                      struct levee_rsa_operation* out)
{
    const uint64_t before = (uint64_t)first * FP32_BYTES;
    out->b = LEVEE_STREAM(LEVEE_PORT_WEIGHTS);
    out->b_scale += before;
    out->bias += out->bias != 0 ? before : 0;
    out->out += before;
    out->n = kept->rows - first;
}

static void lower_on_array(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_flash_kept* kept = flash_kept(lowering, operation);
    struct levee_rsa_operation* out = rsa_operation(descriptor);
    lower_linear(lowering, pass, operation, descriptor);
    if (kept != NULL)
        take_rows(kept, cores_compute(kept, pass, operation) ? kept->flash_rows : 0, out);
}

static const struct unit_class class_flash = {.type = LEVEE_BLOCK_FLASH, .name = "flash"};

static const struct partner linear[] = {
    {.unit = &class_flash, .lower = lower_in_flash, .takes = flash_takes},
    {.unit = &class_array, .lower = lower_on_array, .takes = array_takes},
};

const struct partners flash_linear = {.list = linear, .count = sizeof linear / sizeof *linear};
