// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/machine.h"

#include "firmware/cache/kelle/inputs.h"
#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/cpq.h"
#include "firmware/target/retrieval.h"
#include "firmware/target/systolic/lower.h"
#include "firmware/target/systolic/operations.h"
#include "firmware/target/systolic/recompute.h"
#include "firmware/target/systolic/refresh.h"
#include "firmware/target/systolic/rings.h"
#include "firmware/target/systolic/rows.h"
#include "firmware/target/voting.h"
#include "ip/cam/regs.h"
#include "ip/cpq/regs.h"
#include "ip/voting_engine/regs.h"

#include <math.h>
#include <stddef.h>

enum systolic_class { ARRAY, FUNCTIONS, ARRAY_KV, EVICTOR, DMA, VOTING, ASSOCIATIVE, CPQ };

static bool uses_kv_queue(const struct target* target, const struct lowering* lowering)
{
    (void)lowering;
    return target->kv_queue;
}

static bool uses_evictor(const struct target* target, const struct lowering* lowering)
{
    (void)target;
    return policy_weighs(lowering->policy);
}

static bool uses_dma(const struct target* target, const struct lowering* lowering)
{
    return lowering->policy->evicts || target->staged || retrieval_is_used(target, lowering) ||
           rings_are_refreshed(&lower_machine(lowering)->rings) ||
           refresh_is_filled(target, lowering);
}

/* Units are numbered in this order. */
static const struct unit_class classes[] = {
    [ARRAY] = {.type = LEVEE_BLOCK_RSA, .name = "systolic array", .capacity = rsa_pe_count},
    [FUNCTIONS] = {.type = LEVEE_BLOCK_SFU, .name = "function unit"},
    [ARRAY_KV] = {.type = LEVEE_BLOCK_RSA,
                  .name = "systolic array",
                  .second_queues = true,
                  .otherwise = ARRAY,
                  .capacity = rsa_pe_count,
                  .is_used = uses_kv_queue},
    [EVICTOR] = {.type = LEVEE_BLOCK_SYSTOLIC_EVICTOR,
                 .name = "systolic evictor",
                 .is_used = uses_evictor},
    [DMA] = {.type = LEVEE_BLOCK_DMA, .name = "DMA engine", .is_used = uses_dma},
    [VOTING] = {.type = (enum levee_block_type)LEVEE_BLOCK_VOTING_ENGINE,
                .name = "voting engine",
                .is_used = voting_is_used},
    [ASSOCIATIVE] = {.type = (enum levee_block_type)LEVEE_BLOCK_CAM,
                     .name = "content-addressable memory",
                     .is_used = retrieval_is_used},
    [CPQ] = {.type = (enum levee_block_type)LEVEE_BLOCK_CPQ,
             .name = "compression block",
             .is_used = cpq_is_used},
};

/* Staged vectors of all parts lie in one place. */
static bool by_part_unless_staged(const struct pass* pass)
{
    return !pass->shape.form.staged;
}

/* Every operation, the unit that does it, and how. */
static const struct machine_row rows[] = {
    /* operation */
    [OPERATION_EMBED] = {FUNCTIONS, lower_embed, .patch = patch_embed},
    [OPERATION_NORM] = {FUNCTIONS, lower_norm},
    [OPERATION_LINEAR] = {ARRAY, lower_linear, .patch_recomputed = patch_linear_rows,
                          .split = &split_columns, .tiled = &tiled_linear},
    [OPERATION_QUERY] = {FUNCTIONS, lower_query, .tiled = &tiled_query},
    [OPERATION_STORE_KEY] = {FUNCTIONS, lower_store, by_part_unless_staged},
    [OPERATION_STORE_VALUE] = {FUNCTIONS, lower_store, by_part_unless_staged},
    [OPERATION_SCORES] = {ARRAY_KV, lower_scores, lower_by_part, .patch_recomputed = patch_redirect,
                          .split = &split_heads, .tiled = &tiled_scores},
    [OPERATION_SOFTMAX] = {FUNCTIONS, lower_softmax, lower_by_part, .patch = patch_softmax,
                           .tiled = &tiled_softmax},
    [OPERATION_MIX] = {ARRAY_KV, lower_mix, lower_by_part, .patch_recomputed = patch_redirect,
                       .split = &split_heads, .tiled = &tiled_mix},
    [OPERATION_QUANTISE] = {FUNCTIONS, lower_quantise},
    [OPERATION_ADD] = {FUNCTIONS, lower_add, .tiled = &tiled_add},
    [OPERATION_ACTIVATE] = {FUNCTIONS, lower_activate, .reads_twice = true,
                            .tiled = &tiled_activate},
    [OPERATION_PICK] = {FUNCTIONS, lower_pick, .patch = patch_pick},

    [OPERATION_SNAPSHOT] = {DMA, lower_snapshot},
    [OPERATION_EVICT] = {EVICTOR, lower_evict, lower_by_part, .patch = patch_scores_length},
    [OPERATION_ACCUMULATE] = {EVICTOR, lower_accumulate, .patch = patch_scores_length,
                              .tiled = &tiled_accumulate},
    [OPERATION_INVALIDATE] = {EVICTOR, lower_invalidate, lower_by_part, refresh_has_rows},
    [OPERATION_SELECT] = {EVICTOR, lower_select, lower_by_part},
    [OPERATION_GATHER_KEYS] = {DMA, lower_gather_vectors, lower_by_part},
    [OPERATION_GATHER_VALUES] = {DMA, lower_gather_vectors, lower_by_part},
    [OPERATION_GATHER_KEY_SCALES] = {DMA, lower_gather_scales},
    [OPERATION_GATHER_VALUE_SCALES] = {DMA, lower_gather_scales},
    [OPERATION_RESET_TABLES] = {DMA, lower_reset_tables},
    [OPERATION_RESET_NEXT] = {DMA, lower_reset_next},
    [OPERATION_RESET_IMPORTANCE] = {DMA, lower_reset_importance},

    [OPERATION_STAGE_SLOTS] = {DMA, lower_stage_slots},
    [OPERATION_SKIP_STORED] = {DMA, lower_skip_stored},
    [OPERATION_REDIRECT] = {DMA, lower_redirect},
    [OPERATION_UNDIRECT] = {DMA, lower_undirect},
    [OPERATION_WRITE_BACK_KEY] = {DMA, lower_write_back, lower_by_part},
    [OPERATION_WRITE_BACK_VALUE] = {DMA, lower_write_back, lower_by_part},
    [OPERATION_RESET_REDIRECT] = {DMA, lower_reset_redirect},

    [OPERATION_STORE_INPUT] = {DMA, lower_store_input},
    [OPERATION_STORE_INPUT_SCALE] = {DMA, lower_store_input},
    [OPERATION_FETCH_INPUTS] = {DMA, lower_fetch_inputs, .patch_recomputed = patch_fetch_inputs},
    [OPERATION_FETCH_INPUT_SCALES] = {DMA, lower_fetch_inputs,
                                      .patch_recomputed = patch_fetch_inputs},
    [OPERATION_READ_INPUTS] = {ARRAY, lower_read_inputs, .patch_recomputed = patch_read_inputs},
    [OPERATION_RECOMPUTE_KEY] = {FUNCTIONS, lower_recompute, .patch_recomputed = patch_recompute},
    [OPERATION_RECOMPUTE_VALUE] = {FUNCTIONS, lower_recompute, .patch_recomputed = patch_recompute},
    [OPERATION_POPULAR] = {EVICTOR, lower_popular},
    [OPERATION_GATHER_INPUTS] = {DMA, lower_gather_inputs},
    [OPERATION_GATHER_INPUT_SCALES] = {DMA, lower_gather_inputs},
    [OPERATION_RESET_HOLDERS] = {DMA, lower_reset_holders},
    [OPERATION_RESET_INPUTS] = {DMA, lower_reset_inputs},
    [OPERATION_RESET_INPUT_SCALES] = {DMA, lower_reset_input_scales},

    [OPERATION_FILL_KEYS] = {DMA, lower_fill_vectors, lower_by_part, refresh_has_rows},
    [OPERATION_FILL_VALUES] = {DMA, lower_fill_vectors, lower_by_part, refresh_has_rows},
    [OPERATION_FILL_VIEWS] = {DMA, lower_fill_views, lower_by_part, refresh_has_views},

    [OPERATION_VOTE] = {VOTING, lower_vote, lower_by_part, .patch = patch_vote,
                        .tiled = &tiled_vote},
    [OPERATION_ELECT] = {VOTING, voting_lower_elect},
    [OPERATION_SELECT_BY_VOTES] = {VOTING, voting_lower_select},

    [OPERATION_WRITE_PROXIES] = {ASSOCIATIVE, lower_write_proxies, lower_by_part},
    [OPERATION_SEARCH] = {ASSOCIATIVE, lower_search, lower_by_part, .patch = patch_search},
    [OPERATION_LIST_KEY_SCALES] = {DMA, lower_list_scales, .patch = patch_list_scales},
    [OPERATION_LIST_VALUE_SCALES] = {DMA, lower_list_scales, .patch = patch_list_scales},

    [OPERATION_EXPAND_KEYS] = {CPQ, cpq_lower_expand},
    [OPERATION_EXPAND_VALUES] = {CPQ, cpq_lower_expand},
    [OPERATION_COMPRESS_KEYS] = {CPQ, cpq_lower_compress},
    [OPERATION_COMPRESS_VALUES] = {CPQ, cpq_lower_compress},
    [OPERATION_COMPRESS_PREFILL_KEYS] = {CPQ, cpq_lower_prefill},
    [OPERATION_COMPRESS_PREFILL_VALUES] = {CPQ, cpq_lower_prefill},
    [OPERATION_RESET_LEVELS] = {CPQ, cpq_lower_reset},

    [OPERATION_RESET_RING] = {DMA, lower_reset_ring},
    [OPERATION_RESET_RING_VIEWS] = {DMA, lower_reset_ring_views},

    [OPERATION_SETTLE] = {FUNCTIONS, .tiled = &tiled_settle},
    [OPERATION_RESCORE] = {ARRAY_KV, .tiled = &tiled_rescore},
    [OPERATION_WEIGH] = {FUNCTIONS, .tiled = &tiled_weigh},
};

static const uint8_t activations[] = {
    VALUE_X,        VALUE_NORMED,     VALUE_QUERY,       VALUE_QKV,           VALUE_RAW_QUERY,
    VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_STAGED_KEYS, VALUE_STAGED_VALUES, VALUE_PROJECTED,
    VALUE_MIXED,    VALUE_ATTENDED,   VALUE_EXPANDED,    VALUE_ACTIVATED,     VALUE_PROBABILITIES,
    VALUE_SCORES,   VALUE_LOGITS,
};

/* The array reads the operands of products with weights, and queries, again for every fold. */
static const uint8_t reread[] = {VALUE_NORMED, VALUE_ATTENDED, VALUE_ACTIVATED, VALUE_QUERY};

static void check_weights(const struct matrix* matrix, const char* what)
{
    if (matrix->data == 0)
        fatal(EXIT_REFUSED,
              "model image: the memory with the role weights keeps the matrices of %s; scheduler "
              "%s takes them from the memory with the role model",
              what, system_info()->scheduler);
    model_need_codes(matrix, what);
}

static void check_model(const struct model* model)
{
    check_weights(&model->classifier, "the classifier");
    for (uint32_t i = 0; i < model->header.layers; ++i) {
        const struct layer* layer = &model->layers[i];
        const struct matrix* const matrices[] = {&layer->qkv, &layer->output, &layer->up,
                                                 &layer->down};
        for (size_t j = 0; j < sizeof matrices / sizeof *matrices; ++j)
            check_weights(matrices[j], "a layer");
    }
}

/* Two limits of 16 bits: the function unit's strides, by which it finds positions of recomputed
 * rows, and the rows of one product, which are these and all entries' arriving tokens. */
static struct recompute_room recompute_room(const struct model* model, uint32_t batch)
{
    const uint32_t reached = UINT16_MAX / WORD_BYTES;
    const uint32_t of_product = UINT16_MAX / batch - 1;
    return (struct recompute_room){recompute_hidden_rows(model, batch),
                                   reached < of_product ? reached : of_product};
}

void lower_open_layers(struct systolic* machine, bool staged, const struct cache* cache)
{
    const uint32_t layers = cache->model->header.layers;
    machine->layers = heap_take(layers * sizeof *machine->layers, "the layers");
    for (uint32_t i = 0; i < layers; ++i) {
        struct systolic_layer* layer = &machine->layers[i];
        if (staged || cache->inputs != NULL || cache->listing.width != 0)
            layer->parts = heap_take((cache->compressed != NULL ? 1 : cache->layers[i].part_count) *
                                         sizeof *layer->parts,
                                     "a table");
        if (cache->inputs != NULL)
            layer->formats = heap_take(sizeof *layer->formats, "a table");
    }
}

static void* open_machine(const struct target* target, const struct placement* placement)
{
    const struct cache* cache = &placement->cache;
    struct systolic* machine = heap_take(sizeof *machine, "the machine");
    machine->score_scale = 1.0f / sqrtf((float)cache->model->header.head_dim);
    machine->array_columns = rsa_columns();
    voting_check(cache, placement->longest_prefill);
    retrieval_check(cache);
    cpq_check(cache);
    rings_place(&machine->rings, &placement->space, cache);
    const struct levee_memory_info* activations = system_memory(LEVEE_ROLE_ACTIVATIONS);
    const bool refreshed =
        refresh_of_activations() && placement->tiles - activations->base < activations->size;
    tiles_open(&machine->tiling, placement, refreshed);
    machine->rows_add = rows_add(cache->model, placement);
    lower_open_layers(machine, target->staged, cache);
    return machine;
}

static void start(const struct lowering* lowering)
{
    refresh_start(lowering);
    rings_open(&lower_machine(lowering)->rings, &lowering->placement->cache);
}

static void list_new_batch(const struct lowering* lowering, struct operation_list* list)
{
    rings_list_reset(&lower_machine(lowering)->rings, list);
}

static void report(const struct lowering* lowering)
{
    rings_report(&lower_machine(lowering)->rings);
    tiles_report(&lower_machine(lowering)->tiling, lowering->placement);
}

const struct machine systolic_machine = {
    .classes = classes,
    .class_count = sizeof classes / sizeof *classes,
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .placing = {.formats = lower_formats,
                .kv_forms = lower_kv_forms,
                .kv_form_count = LOWER_KV_FORMS,
                .kv_scaled = true,
                .activations = activations,
                .reread = reread,
                .activation_count = sizeof activations,
                .reread_count = sizeof reread,
                .reread_roles = {LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_WEIGHTS_RING}},
    .tiling = &systolic_tiling,
    .check_model = check_model,
    .recompute_room = recompute_room,
    .describe = refresh_describe,
    .invalidates = refresh_of_activations,
    .reserve = rings_reserve,
    .open = open_machine,
    .start = start,
    .new_batch = refresh_new_batch,
    .list_new_batch = list_new_batch,
    .report = report,
};
