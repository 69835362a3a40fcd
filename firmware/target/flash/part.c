// SPDX-License-Identifier: Apache-2.0
/* Weights in a flash that computes (Cambricon-LLM). Its dies multiply by the first rows of a
 * matrix. The other rows stream through a port to the array, which multiplies by them. */

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/flash/lower.h"
#include "firmware/target/systolic/parts.h"

#include <stddef.h>

static void check_scaled(const struct matrix* matrix, const char* what)
{
    model_need_codes(matrix, what);
    if (matrix->type == LEVEE_TYPE_INT3)
        fatal(EXIT_REFUSED, "model image: %s has weights of type %s; flash supports INT8 and INT4",
              what, model_type_name(matrix->type));
}

static void check_ports(void)
{
    const struct levee_boot_info* info = system_info();
    if (info->stream_ports <= LEVEE_PORT_WEIGHTS)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; expected at least 3, because "
              "weights reach the array through the third",
              system_scheduler(), (unsigned long)info->stream_ports);
}

static void check_model(const struct model* model)
{
    check_ports();
    check_scaled(&model->classifier, "the classifier");
    for (uint32_t i = 0; i < model->header.layers; ++i) {
        const struct layer* layer = &model->layers[i];
        const struct matrix* const matrices[] = {&layer->qkv, &layer->output, &layer->up,
                                                 &layer->down};
        for (size_t j = 0; j < sizeof matrices / sizeof *matrices; ++j) {
            check_scaled(matrices[j], "a layer");
            if (matrices[j]->experts != 0 && matrices[j]->kept != 0)
                fatal(EXIT_REFUSED,
                      "scheduler %s: weights: flash does not support a feature of the model: %s; "
                      "expected a memory with the role experts",
                      system_scheduler(), levee_property_text(MODEL_EXPERTS));
            if (matrices[j]->experts == 0 && matrices[j]->kept == 0)
                fatal(EXIT_REFUSED,
                      "scheduler %s: the matrices of the layers are not in a flash; expected a "
                      "flash with the role weights",
                      system_scheduler());
        }
    }
    if (model->header.kept_bytes != sizeof(struct levee_flash_kept))
        fatal(EXIT_REFUSED, "scheduler %s: the memory with the role weights is not a flash",
              system_scheduler());
}

/* Returns the bounds of a prefill chunk. The weights pass through the array once for each chunk, so
 * `most` is the number of rows that the array can take. With fewer than `enough` tokens, the array
 * waits for the channels that deliver the weights. A chunk has one token if the flash's cores are
 * at least as fast as the array. An example is a small array that needs two passes for each
 * product. */
static struct chunk_bounds chunk_bounds(const struct model* model)
{
    const struct levee_model_header* header = &model->header;
    uint64_t weights = 0, cores_ns = 0, fetch_ns = 0;
    uint32_t input_bytes = 1;
    for (uint32_t i = 0; i < header->kept_count; ++i) {
        struct levee_flash_kept kept;
        copy_in(&kept, model->address + header->kept_offset + i * sizeof kept, sizeof kept,
                "the records of kept matrices");
        weights += (uint64_t)kept.rows * kept.columns;
        cores_ns += flash_product_ns(&kept);
        fetch_ns += flash_fetch_ns(&kept);
        input_bytes = kept.input_bytes;
    }
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    const uint64_t macs_per_us = array == NULL ? 0 : rsa_pe_count(array) * (rsa_hz() / 1000000ull);
    const uint64_t passes = input_bytes == INT16_BYTES ? rsa_passes() : 1;
    const uint32_t most = rsa_stream_rows();
    const uint64_t array_ns = macs_per_us == 0 ? 0 : weights * passes * 1000 / macs_per_us;
    const bool is_faster = macs_per_us != 0 && array_ns < cores_ns;
    const uint64_t enough = fetch_ns / (array_ns + 1) + 1;
    return (struct chunk_bounds){.most = most,
                                 .enough = enough < most ? (uint32_t)enough : most,
                                 .worth = is_faster ? most : 1};
}

struct levee_flash_kept* flash_records;

static void open_flash(const struct machine* machine, const struct placement* placement)
{
    (void)machine;
    const struct model* model = placement->cache.model;
    const struct levee_model_header* header = &model->header;
    const size_t bytes = header->kept_count * sizeof(struct levee_flash_kept);
    flash_records = heap_take(bytes, "the records of kept matrices");
    copy_in(flash_records, model->address + header->kept_offset, bytes,
            "the records of kept matrices");
}

/* Sets the formats. The inputs of the layers' products and of the classifier have the flash's
 * format, but their space also suffices for the array's format. */
static void set_formats(const struct model* model, struct value_format* formats)
{
    struct levee_flash_kept kept;
    copy_in(&kept, model->address + model->header.kept_offset, sizeof kept,
            "the records of kept matrices");
    systolic_weight_formats(model, formats);
    for (unsigned i = 0; i < sizeof systolic_reread; ++i)
        if (kept.input_bytes != INT16_BYTES)
            formats[systolic_reread[i]].type = LEVEE_TYPE_INT8;
}

/* Reports the bytes of the layers' weights by which the cores multiply in a pass, and those by
 * which the array multiplies. */
static void report(const struct lowering* lowering)
{
    const struct levee_flash_kept* kept = flash_records;
    const struct levee_model_header* header = &lowering->model->header;
    uint64_t cores = 0, all = 0;
    for (uint32_t i = 0; i < header->kept_count; ++i) {
        cores += (uint64_t)kept[i].flash_rows * kept[i].columns;
        all += (uint64_t)kept[i].rows * kept[i].columns;
    }
    hostlink_metric_u64("layers.core_weights", cores);
    hostlink_metric_u64("layers.array_weights", all - cores);
}

static const struct part_row rows[] = {{OPERATION_LINEAR, {.partners = &flash_linear}}};

const struct machine_part part_flash_weights = {
    .name = "flash",
    .roles = 1u << PART_WEIGHTS,
    .whole_qkv = true,
    ROWS(rows),
    .set_formats = set_formats,
    REREAD(systolic_reread),
    .ports = LEVEE_PORT_WEIGHTS + 1,
    .most_sequences = SEQUENCES_OF_flash_weights, /* the cores compute one vector in each
                                                     operation */
    .lacks = LACKS_OF_flash_weights,
    .check_model = check_model,
    .chunk_bounds = chunk_bounds,
    .open = open_flash,
    .report = report,
};
