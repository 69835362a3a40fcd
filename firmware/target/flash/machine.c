// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/flash/machine.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/flash/lower.h"
#include "firmware/target/retrieval.h"
#include "firmware/target/systolic/refresh.h"
#include "ip/cam/regs.h"

#include <math.h>
#include <stddef.h>

static bool uses_dma(const struct target* target, const struct lowering* lowering)
{
    return retrieval_is_used(target, lowering) || refresh_is_filled(target, lowering);
}

/* Units are numbered in this order. */
static const struct unit_class classes[] = {
    [FLASH_CLASS_FLASH] = {.type = LEVEE_BLOCK_FLASH, .name = "flash"},
    [FLASH_CLASS_ARRAY] = {.type = LEVEE_BLOCK_RSA, .name = "systolic array"},
    [FLASH_CLASS_FUNCTIONS] = {.type = LEVEE_BLOCK_SFU, .name = "function unit"},
    [FLASH_CLASS_DMA] = {.type = LEVEE_BLOCK_DMA, .name = "DMA engine", .is_used = uses_dma},
    [FLASH_CLASS_ASSOCIATIVE] = {.type = (enum levee_block_type)LEVEE_BLOCK_CAM,
                                 .name = "content-addressable memory",
                                 .is_used = retrieval_is_used},
};

/* Every operation, the unit that does it, and how. */
static const struct machine_row rows[] = {
    [OPERATION_EMBED] = {FLASH_CLASS_FUNCTIONS, lower_embed, .patch = patch_embed},
    [OPERATION_NORM] = {FLASH_CLASS_FUNCTIONS, flash_norm},
    [OPERATION_LINEAR] = {.partners = &flash_linear},
    [OPERATION_QUERY] = {FLASH_CLASS_FUNCTIONS, lower_query},
    [OPERATION_STORE_KEY] = {FLASH_CLASS_FUNCTIONS, lower_store, lower_by_part},
    [OPERATION_STORE_VALUE] = {FLASH_CLASS_FUNCTIONS, lower_store, lower_by_part},
    [OPERATION_SCORES] = {FLASH_CLASS_ARRAY, lower_scores, lower_by_part},
    [OPERATION_SOFTMAX] = {FLASH_CLASS_FUNCTIONS, lower_softmax, lower_by_part,
                           .patch = patch_softmax},
    [OPERATION_MIX] = {FLASH_CLASS_ARRAY, lower_mix, lower_by_part},
    [OPERATION_QUANTISE] = {FLASH_CLASS_FUNCTIONS, flash_quantise},
    [OPERATION_ADD] = {FLASH_CLASS_FUNCTIONS, lower_add},
    [OPERATION_ACTIVATE] = {FLASH_CLASS_FUNCTIONS, flash_activate, .reads_twice = true},
    [OPERATION_PICK] = {FLASH_CLASS_FUNCTIONS, lower_pick, .patch = patch_pick},

    [OPERATION_WRITE_PROXIES] = {FLASH_CLASS_ASSOCIATIVE, lower_write_proxies, lower_by_part},
    [OPERATION_SEARCH] = {FLASH_CLASS_ASSOCIATIVE, lower_search, lower_by_part,
                          .patch = patch_search},
    [OPERATION_LIST_KEY_SCALES] = {FLASH_CLASS_DMA, lower_list_scales, .patch = patch_list_scales},
    [OPERATION_LIST_VALUE_SCALES] = {FLASH_CLASS_DMA, lower_list_scales,
                                     .patch = patch_list_scales},

    [OPERATION_FILL_KEYS] = {FLASH_CLASS_DMA, lower_fill_vectors, lower_by_part, refresh_has_rows},
    [OPERATION_FILL_VALUES] = {FLASH_CLASS_DMA, lower_fill_vectors, lower_by_part,
                               refresh_has_rows},
    [OPERATION_FILL_VIEWS] = {.left_out = true}, /* no tokens are weighed */
};

static const uint8_t activations[] = {
    VALUE_X,         VALUE_NORMED,        VALUE_QUERY,    VALUE_QKV,
    VALUE_PROJECTED, VALUE_MIXED,         VALUE_ATTENDED, VALUE_EXPANDED,
    VALUE_ACTIVATED, VALUE_PROBABILITIES, VALUE_SCORES,   VALUE_LOGITS,
};

static const uint8_t reread[] = {VALUE_NORMED, VALUE_ATTENDED, VALUE_ACTIVATED, VALUE_QUERY};

static void check_scaled(const struct matrix* matrix, const char* what)
{
    model_need_codes(matrix, what);
    if (matrix->type == LEVEE_TYPE_INT3)
        fatal(EXIT_REFUSED, "model image: %s has weights of type %s; flash takes INT8 and INT4",
              what, model_type_name(matrix->type));
}

static void check_ports(void)
{
    const struct levee_boot_info* info = system_info();
    if (info->stream_ports <= LEVEE_PORT_WEIGHTS)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; weights come to the array on the "
              "third",
              info->scheduler, (unsigned long)info->stream_ports);
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
            if (matrices[j]->kept == 0)
                fatal(EXIT_REFUSED,
                      "scheduler %s: no flash has the role weights, and the matrices "
                      "of the layers",
                      system_info()->scheduler);
        }
    }
    if (model->header.kept_bytes != sizeof(struct levee_flash_kept))
        fatal(EXIT_REFUSED, "scheduler %s: the memory with the role weights is no flash",
              system_info()->scheduler);
}

/* A chunk's weights pass the array once, which takes so many rows; fewer than `enough` take it less
 * time than the channels. Where the cores and the array
 * together are faster with one vector after another, as a small array of two passes is slow, a
 * chunk of one token is worth it. */
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

static void* open_machine(const struct target* target, const struct placement* placement)
{
    (void)target;
    const struct model* model = placement->cache.model;
    const struct levee_model_header* header = &model->header;
    struct flash_machine* machine = heap_take(sizeof *machine, "the machine");
    const size_t bytes = header->kept_count * sizeof(struct levee_flash_kept);
    struct levee_flash_kept* kept = heap_take(bytes, "the records of kept matrices");
    copy_in(kept, model->address + header->kept_offset, bytes, "the records of kept matrices");
    machine->systolic.score_scale = 1.0f / sqrtf((float)header->head_dim);
    machine->systolic.array_columns = rsa_columns();
    retrieval_check(&placement->cache);
    lower_open_layers(&machine->systolic, false, &placement->cache);
    machine->kept = kept;
    machine->input_bytes = kept[0].input_bytes;
    return machine;
}

/* How many weights of the layers the cores multiply in a pass, and how many the array. */
static void report(const struct lowering* lowering)
{
    const struct levee_flash_kept* kept = flash_machine(lowering)->kept;
    const struct levee_model_header* header = &lowering->model->header;
    uint64_t cores = 0, all = 0;
    for (uint32_t i = 0; i < header->kept_count; ++i) {
        cores += (uint64_t)kept[i].flash_rows * kept[i].columns;
        all += (uint64_t)kept[i].rows * kept[i].columns;
    }
    hostlink_metric_u64("layers.core_weights", cores);
    hostlink_metric_u64("layers.array_weights", all - cores);
}

static const struct machine flash_machine_table = {
    .classes = classes,
    .class_count = sizeof classes / sizeof *classes,
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .most_sequences = 1, /* the cores take one vector an operation */
    .placing = {.formats = lower_formats,
                .kv_forms = lower_kv_forms,
                .kv_form_count = 1,
                .kv_scaled = true,
                .activations = activations,
                .reread = reread,
                .activation_count = sizeof activations,
                .reread_count = sizeof reread,
                .reread_roles = {LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_ACTIVATIONS}},
    .check_model = check_model,
    .chunk_bounds = chunk_bounds,
    .describe = refresh_describe,
    .open = open_machine,
    .start = refresh_start,
    .new_batch = refresh_new_batch,
    .report = report,
};

const struct target target_flash = {.name = "flash", .machine = &flash_machine_table};
