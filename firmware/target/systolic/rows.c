// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/rows.h"

#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"

#include <stddef.h>

/* Returns whether processing `rows` tokens at a time moves fewer bytes than processing a whole
 * chunk. A whole chunk's vectors are written to the spill memory, and each fold reads them again
 * unless it shares the reads of another fold. The estimate counts weights as read once for each
 * part of the chunk, but only once for a whole chunk. An array that keeps sums of fewer rows
 * (`accumulator_rows`; output stationary: its own rows) would read weights again for each block of
 * rows of a whole chunk. The estimate thus favours whole chunks, and parts are chosen too
 * rarely. */
static bool gains(const struct tiling_request* request, uint32_t rows, uint64_t vector_bytes)
{
    const struct matrix* weights = &request->model->layers[0].down;
    const uint64_t matrix_bytes = (uint64_t)weights->rows * weights->row_bytes;
    const uint64_t parts = (request->chunk + rows - 1) / rows;
    const uint64_t passes_of_vectors = 1 + rsa_reads(request->chunk, weights->rows);
    return (parts - 1) * matrix_bytes < passes_of_vectors * request->chunk * vector_bytes;
}

uint32_t rows_activated(const struct tiling_request* request, uint64_t bytes)
{
    if (request->model->properties &
        MODEL_EXPERTS) /* the vectors of experts are not in the order of tokens */
        return request->chunk;
    const uint64_t vector_bytes =
        (uint64_t)request->model->header.hidden * INT16_BYTES + FP32_BYTES;
    const uint64_t alignment = space_rounded(1) * 2; /* alignment of vectors and of their scales */
    const uint64_t fit = bytes > alignment ? (bytes - alignment) / vector_bytes : 0;
    if (fit == 0 || fit >= request->chunk)
        return request->chunk;
    const uint32_t parts = (uint32_t)((request->chunk + fit - 1) / fit);
    const uint32_t rows = (request->chunk + parts - 1) / parts;
    return rsa_hides_loads(rows) && gains(request, rows, vector_bytes) ? rows : request->chunk;
}

static bool is_in_parts(const struct lowering* lowering)
{
    return lowering->placement->activated < lowering->placement->chunk;
}

bool rows_add(const struct model* model, const struct placement* placement)
{
    const struct levee_memory_info* spill = system_memory(LEVEE_ROLE_SPILL);
    for (uint32_t i = 0; i < model->header.layers; ++i)
        if (model->layers[i].output.bias != 0 || model->layers[i].down.bias != 0 ||
            model->layers[i].attention_after.gain != 0 || model->layers[i].down.experts != 0)
            return false;
    return spill != NULL && placement->prefill_values[VALUE_X].data - spill->base < spill->size;
}

static bool adds(const struct lowering* lowering)
{
    return lowering->common->rows_add;
}

static bool takes_linear(const struct lowering* lowering, const struct operation* operation)
{
    if (operation->writes != VALUE_PROJECTED)
        return false;
    if (operation->reads[0] == VALUE_NORMED) /* an operand of the products that compute latent
                                              * attention's queries */
        return false;
    return adds(lowering) || (operation->reads[0] == VALUE_ACTIVATED && is_in_parts(lowering));
}

static bool takes_activate(const struct lowering* lowering, const struct operation* operation)
{
    (void)operation;
    return is_in_parts(lowering);
}

static bool takes_add(const struct lowering* lowering, const struct operation* operation)
{
    (void)operation;
    return adds(lowering);
}

/* Lists operations that are executed for a few tokens at a time (next()). The values in
 * placement->shared use the same bytes, so an operation that writes one value overwrites the
 * others. If products add the residual (adds()), ADD is not listed. */
static void list(const struct lowering* lowering, const struct pass* pass,
                 const struct operation_list* run, struct operation_list* out)
{
    (void)pass;
    const uint32_t shared = lowering->placement->shared;
    for (uint32_t i = 0; i < run->count; ++i) {
        struct operation operation = run->operations[i];
        if (operation.kind == OPERATION_ADD)
            continue;
        if (shared & VALUE_BIT(operation.writes))
            operation.also_writes |= shared & ~VALUE_BIT(operation.writes);
        if (operation.kind == OPERATION_LINEAR && adds(lowering))
            operation.writes = VALUE_X;
        operation_append(out, &operation);
    }
}

static bool next(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct tile* tile)
{
    const bool activated =
        operation->kind == OPERATION_ACTIVATE || operation->reads[0] == VALUE_ACTIVATED;
    const uint32_t most = activated ? lowering->placement->activated : pass->shape.rows;
    tile->row += tile->rows;
    const uint32_t left = pass->shape.rows - tile->row;
    tile->rows = most < left ? most : left;
    return left != 0;
}

static void lower_rows_linear(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation,
                              struct levee_descriptor* descriptor)
{
    lower_linear(lowering, pass, operation, descriptor);
    struct levee_rsa_operation* out = rsa_operation(descriptor);
    out->m1 = (uint16_t)lowering->tile->rows;
    out->out += (uint64_t)lowering->tile->row * (uint32_t)out->out_stride[2];
    if (operation->writes == VALUE_X)
        out->flags |= LEVEE_RSA_ACCUMULATE;
}

static void lower_rows_activate(const struct lowering* lowering, const struct pass* pass,
                                const struct operation* operation,
                                struct levee_descriptor* descriptor)
{
    lower_activate(lowering, pass, operation, descriptor);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->rows = (uint16_t)lowering->tile->rows;
    out->x += (uint64_t)lowering->tile->row * (uint32_t)out->x_stride[2];
    out->y += (uint64_t)lowering->tile->row * (uint32_t)out->y_stride[2];
}

static const struct tile_loop loop = {list, next};
const struct tiled tiled_linear = {&loop, lower_rows_linear, NULL, takes_linear};
const struct tiled tiled_activate = {&loop, lower_rows_activate, NULL, takes_activate};
const struct tiled tiled_add = {&loop, NULL, NULL, takes_add};
