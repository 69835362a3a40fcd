// SPDX-License-Identifier: Apache-2.0
#include "test/unit/firmware/fake_image.h"

#include "ip/flash/layout.h"

#include <stdbool.h>
#include <string.h>

struct writer {
    struct levee_tensor_entry* entries;
    uint32_t count;
    uint64_t offset; /* Offset of the next tensor's data. */
    uint32_t weight_type;
};

static struct levee_tensor_entry* put(struct writer* writer, uint32_t kind, uint32_t layer,
                                      uint32_t type, uint32_t rows, uint32_t cols)
{
    const uint32_t row_bytes = type == LEVEE_TYPE_INT8   ? cols
                               : type == LEVEE_TYPE_INT4 ? (cols + 1) / 2
                               : type == LEVEE_TYPE_FP16 ? 2 * cols
                                                         : 4 * cols;
    struct levee_tensor_entry* entry = &writer->entries[writer->count++];
    *entry =
        (struct levee_tensor_entry){kind, layer, type, rows, cols, row_bytes, writer->offset, 0};
    writer->offset += (uint64_t)rows * row_bytes;
    return entry;
}

/* Writes matrices one after another, then their scales. */
static void put_group(struct writer* writer, uint32_t layer, uint32_t count, const uint32_t* kinds,
                      const uint32_t* rows, uint32_t cols, uint32_t gap)
{
    struct levee_tensor_entry* entries[3];
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 1)
            writer->offset += gap;
        entries[i] = put(writer, kinds[i], layer, writer->weight_type, rows[i], cols);
    }
    for (uint32_t i = 0; i < count; ++i) {
        entries[i]->scale_offset = writer->offset;
        writer->offset += 4ull * rows[i];
    }
}

static void put_layer(struct writer* writer, const struct fake_job* job, uint32_t layer)
{
    const struct levee_model_header* shape = &job->shape;
    const uint32_t q = shape->heads * shape->head_dim, kv = shape->kv_heads * shape->head_dim;
    const uint32_t fp32 = LEVEE_TYPE_FP32;
    const bool bias = shape->norm == LEVEE_NORM_LAYER;
    const bool gated = shape->activation == LEVEE_ACTIVATION_SILU_GLU;
    put(writer, LEVEE_TENSOR_NORM_ATTENTION, layer, fp32, 1, shape->dim);
    put(writer, LEVEE_TENSOR_NORM_FFN, layer, fp32, 1, shape->dim);
    put_group(writer, layer, 3, (uint32_t[]){LEVEE_TENSOR_WQ, LEVEE_TENSOR_WK, LEVEE_TENSOR_WV},
              (uint32_t[]){q, kv, kv}, shape->dim, job->gap_before_wk);
    put_group(writer, layer, 1, (uint32_t[]){LEVEE_TENSOR_WO}, (uint32_t[]){shape->dim}, q, 0);
    if (gated)
        put_group(writer, layer, 2, (uint32_t[]){LEVEE_TENSOR_W_GATE, LEVEE_TENSOR_W_UP},
                  (uint32_t[]){shape->hidden, shape->hidden}, shape->dim, 0);
    else
        put_group(writer, layer, 1, (uint32_t[]){LEVEE_TENSOR_W_UP}, (uint32_t[]){shape->hidden},
                  shape->dim, 0);
    put_group(writer, layer, 1, (uint32_t[]){LEVEE_TENSOR_W_DOWN}, (uint32_t[]){shape->dim},
              shape->hidden, 0);
    if (!bias)
        return;
    put(writer, LEVEE_TENSOR_NORM_ATTENTION_BIAS, layer, fp32, 1, shape->dim);
    put(writer, LEVEE_TENSOR_NORM_FFN_BIAS, layer, fp32, 1, shape->dim);
    put(writer, LEVEE_TENSOR_BQ, layer, fp32, 1, q);
    if (!job->without_bias_of_wk)
        put(writer, LEVEE_TENSOR_BK, layer, fp32, 1, kv);
    put(writer, LEVEE_TENSOR_BV, layer, fp32, 1, kv);
    put(writer, LEVEE_TENSOR_BO, layer, fp32, 1, shape->dim);
    put(writer, LEVEE_TENSOR_B_UP, layer, fp32, 1, shape->hidden);
    put(writer, LEVEE_TENSOR_B_DOWN, layer, fp32, 1, shape->dim);
}

/* Returns whether the tensor is the first of a layer's matrix. */
static bool begins_matrix(const struct fake_job* job, const struct levee_tensor_entry* entry)
{
    const bool gated = job->shape.activation == LEVEE_ACTIVATION_SILU_GLU;
    return entry->kind == LEVEE_TENSOR_WQ || (entry->kind == LEVEE_TENSOR_WO && job->kept != 2) ||
           entry->kind == (gated ? LEVEE_TENSOR_W_GATE : LEVEE_TENSOR_W_UP) ||
           entry->kind == LEVEE_TENSOR_W_DOWN;
}

static uint32_t record_bytes(const struct fake_job* job)
{
    return job->flash != 0 ? sizeof(struct levee_flash_kept) : sizeof(struct levee_kept_head);
}

/* Fills in the flash's record of the matrix that begins with the tensor. */
static void keep_in_flash(const struct fake_job* job, const struct levee_tensor_entry* entry,
                          struct levee_flash_kept* kept)
{
    *kept = (struct levee_flash_kept){.head = {entry->kind, entry->layer},
                                      .rows = entry->rows,
                                      .columns = entry->cols,
                                      .row_bytes = entry->row_bytes,
                                      .core_rows = 8,
                                      .core_columns = 64,
                                      .data_pages = 1,
                                      .weight_bits = 8,
                                      .input_bytes = 1,
                                      .result_bytes = 4};
    kept->flash_rows = job->flash == FAKE_FLASH_ARRAY ? 0 : FAKE_FLASH_ROWS;
    if (job->flash == FAKE_FLASH_CORES) {
        kept->flash_rows = entry->rows;
        kept->data_pages = 0;
    }
}

/* Writes records of the layers' matrices at `kept`, after the table, instead of the matrices. */
static void keep_matrices(const struct fake_job* job, struct writer* writer,
                          struct levee_model_header* header, uint8_t* kept)
{
    header->version = LEVEE_MODEL_VERSION_KEPT;
    header->kept_bytes = record_bytes(job);
    for (uint32_t i = 0; i < writer->count; ++i) {
        struct levee_tensor_entry* entry = &writer->entries[i];
        if (entry->layer == LEVEE_NO_LAYER || entry->scale_offset == 0)
            continue;
        entry->data_offset = 0;
        if (!begins_matrix(job, entry))
            continue;
        const struct levee_kept_head head = {entry->kind, entry->layer};
        uint8_t* record = kept + header->kept_count++ * header->kept_bytes;
        memcpy(record, &head, sizeof head);
        if (job->flash != 0)
            keep_in_flash(job, entry, (void*)record);
    }
}

size_t fake_image(const struct fake_job* job, uint8_t* image, size_t room)
{
    struct levee_model_header header = job->shape;
    const uint32_t most = 20 * header.layers + 8;
    const size_t table_end = sizeof header + most * sizeof(struct levee_tensor_entry);
    const size_t bytes = table_end + (job->kept != 0 ? 4 * header.layers * record_bytes(job) : 0);
    if (bytes > room)
        return 0;
    struct writer writer = {(void*)(image + sizeof header), 0, bytes, header.weight_type};
    const uint32_t none = LEVEE_NO_LAYER;
    put_group(&writer, none, 1, (uint32_t[]){LEVEE_TENSOR_EMBEDDING}, (uint32_t[]){header.vocab},
              header.dim, 0);
    if (header.position == LEVEE_POSITION_LEARNED)
        put(&writer, LEVEE_TENSOR_POSITION, none, LEVEE_TYPE_FP32, header.max_context, header.dim);
    else
        put(&writer, LEVEE_TENSOR_ROPE_PHASE, none, LEVEE_TYPE_UINT32, 1, header.head_dim / 2);
    put(&writer, LEVEE_TENSOR_NORM_FINAL, none, LEVEE_TYPE_FP32, 1, header.dim);
    if (header.norm == LEVEE_NORM_LAYER)
        put(&writer, LEVEE_TENSOR_NORM_FINAL_BIAS, none, LEVEE_TYPE_FP32, 1, header.dim);
    for (uint32_t layer = 0; layer < header.layers; ++layer)
        put_layer(&writer, job, layer);
    header.kept_offset = table_end;
    if (job->kept != 0)
        keep_matrices(job, &writer, &header, (void*)(image + table_end));
    header.tensor_count = writer.count;
    header.tensor_offset = sizeof header;
    header.image_bytes = writer.offset;
    memcpy(image, &header, sizeof header);
    return bytes;
}
