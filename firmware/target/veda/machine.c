// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/veda/machine.h"

#include "firmware/drivers/veda.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/systolic/refresh.h"
#include "firmware/target/veda/lower.h"
#include "firmware/target/voting.h"
#include "ip/voting_engine/regs.h"

#include <math.h>
#include <stddef.h>

static bool evicts(const struct target* target, const struct lowering* lowering)
{
    (void)target;
    return lowering->policy->evicts;
}

static bool uses_evictor(const struct target* target, const struct lowering* lowering)
{
    (void)target;
    return policy_weighs(lowering->policy);
}

static bool uses_dma(const struct target* target, const struct lowering* lowering)
{
    return evicts(target, lowering) || refresh_is_filled(target, lowering);
}

static bool is_listed(const struct target* target, const struct lowering* lowering)
{
    (void)target, (void)lowering;
    return system_block(LEVEE_BLOCK_ELEMENT_SERIAL) != NULL;
}

static const struct unit_class classes[] = {
    [VEDA_ARRAYS] = {.type = LEVEE_BLOCK_VEDA, .name = "PE arrays"},
    [VEDA_SERIAL] = {.type = (enum levee_block_type)LEVEE_BLOCK_ELEMENT_SERIAL,
                     .name = "element-serial unit",
                     .is_used = is_listed},
    [VEDA_FUNCTIONS] = {.type = LEVEE_BLOCK_SFU, .name = "function unit"},
    [VEDA_EVICTOR] = {.type = LEVEE_BLOCK_SYSTOLIC_EVICTOR,
                      .name = "systolic evictor",
                      .is_used = uses_evictor},
    [VEDA_DMA] = {.type = LEVEE_BLOCK_DMA, .name = "DMA engine", .is_used = uses_dma},
    [VEDA_VOTING] = {.type = (enum levee_block_type)LEVEE_BLOCK_VOTING_ENGINE,
                     .name = "voting engine",
                     .is_used = voting_is_used},
};

static bool by_part(const struct pass* pass)
{
    (void)pass;
    return true;
}

/* Every operation, the units that do it, and how. */
static const struct machine_row rows[] = {
    [OPERATION_EMBED] = {VEDA_FUNCTIONS, veda_embed, .patch = patch_embed},
    [OPERATION_NORM] = {.partners = &veda_norm, .is_needed = veda_norm_is_needed},
    [OPERATION_LINEAR] = {.partners = &veda_linear},
    [OPERATION_QUERY] = {VEDA_FUNCTIONS, veda_query, .split = &veda_split_vectors},
    [OPERATION_STORE_KEY] = {VEDA_FUNCTIONS, veda_store, by_part, .split = &veda_split_vectors},
    [OPERATION_STORE_VALUE] = {VEDA_FUNCTIONS, veda_store, by_part, .split = &veda_split_vectors},
    [OPERATION_SCORES] = {.partners = &veda_scores, .by_part = by_part},
    [OPERATION_SOFTMAX] = {.partners = &veda_softmax,
                           .by_part = by_part,
                           .is_needed = veda_softmax_is_needed},
    [OPERATION_MIX] = {.partners = &veda_mix, .by_part = by_part},
    [OPERATION_QUANTISE] = {.left_out = true},
    [OPERATION_ADD] = {VEDA_FUNCTIONS, veda_whole_add, .is_needed = veda_add_is_needed},
    [OPERATION_ACTIVATE] = {VEDA_FUNCTIONS, veda_activate, .split = &veda_split_elements,
                            .reads_twice = true},
    [OPERATION_PICK] = {VEDA_FUNCTIONS, lower_pick, .patch = patch_pick},

    [OPERATION_SNAPSHOT] = {VEDA_DMA, lower_snapshot},
    [OPERATION_EVICT] = {VEDA_EVICTOR, veda_evict, by_part, .patch = patch_scores_length},
    [OPERATION_ACCUMULATE] = {VEDA_EVICTOR, veda_accumulate, .patch = patch_scores_length},
    [OPERATION_INVALIDATE] = {VEDA_EVICTOR, lower_invalidate, by_part, refresh_has_rows},
    [OPERATION_SELECT] = {VEDA_EVICTOR, lower_select, by_part},
    [OPERATION_GATHER_KEYS] = {VEDA_DMA, lower_gather_vectors, by_part},
    [OPERATION_GATHER_VALUES] = {VEDA_DMA, lower_gather_vectors, by_part},
    [OPERATION_GATHER_KEY_SCALES] = {.left_out = true}, /* there are none */
    [OPERATION_GATHER_VALUE_SCALES] = {.left_out = true},
    [OPERATION_RESET_TABLES] = {VEDA_DMA, lower_reset_tables},
    [OPERATION_RESET_NEXT] = {VEDA_DMA, lower_reset_next},
    [OPERATION_RESET_IMPORTANCE] = {VEDA_DMA, lower_reset_importance},

    [OPERATION_FILL_KEYS] = {VEDA_DMA, lower_fill_vectors, by_part, refresh_has_rows},
    [OPERATION_FILL_VALUES] = {VEDA_DMA, lower_fill_vectors, by_part, refresh_has_rows},
    [OPERATION_FILL_VIEWS] = {VEDA_DMA, lower_fill_views, by_part, refresh_has_views},

    [OPERATION_VOTE] = {VEDA_VOTING, veda_vote, by_part, .patch = veda_patch_vote},
    [OPERATION_ELECT] = {VEDA_VOTING, voting_lower_elect},
    [OPERATION_SELECT_BY_VOTES] = {VEDA_VOTING, voting_lower_select},
};

static const uint8_t ordered_with[CACHE_VALUES] = {
    [VALUE_NORMED] = VALUE_X,
    [VALUE_PROJECTED] = VALUE_X,
    [VALUE_PROBABILITIES] = VALUE_SCORES,
    [VALUE_ATTENDED] = VALUE_MIXED,
};

static const struct value_format formats[CACHE_VALUES] = {
    [VALUE_X] = {FP16_BYTES, STATISTICS_BYTES},
    [VALUE_NORMED] = {FP16_BYTES},
    [VALUE_QKV] = {FP16_BYTES},
    [VALUE_QUERY] = {FP16_BYTES},
    [VALUE_SCORES] = {FP16_BYTES, STATISTICS_BYTES},
    [VALUE_MIXED] = {FP16_BYTES},
    [VALUE_EXPANDED] = {FP16_BYTES},
    [VALUE_ACTIVATED] = {FP16_BYTES},
    [VALUE_LOGITS] = {FP32_BYTES},
};

static const uint8_t activations[] = {
    VALUE_X,      VALUE_NORMED,   VALUE_QUERY,     VALUE_QKV,    VALUE_MIXED,
    VALUE_SCORES, VALUE_EXPANDED, VALUE_ACTIVATED, VALUE_LOGITS,
};

/* With several vectors, the arrays read these again for every block of results whose sums they
 * keep. */
static const uint8_t reread[] = {VALUE_NORMED, VALUE_MIXED, VALUE_ACTIVATED, VALUE_QUERY};

static void check_weights(const struct matrix* matrix, const char* what)
{
    const char* const scheduler = system_info()->scheduler;
    if (matrix->data == 0)
        fatal(EXIT_REFUSED,
              "model image: the memory with the role weights keeps the matrices of %s; scheduler "
              "%s takes them from the memory with the role model",
              what, scheduler);
    if (matrix->type != LEVEE_TYPE_FP16)
        fatal(EXIT_REFUSED,
              "model image: %s has weights of type %s; scheduler %s takes FP16 (model.weights: "
              "fp16)",
              what, model_type_name(matrix->type), scheduler);
    if (matrix->bias != 0 && system_info()->stream_ports <= VEDA_PORT_RESULTS)
        fatal(EXIT_REFUSED,
              "model image: %s has biases, and this system no stream port, on which scheduler %s "
              "adds them to what the arrays give",
              what, scheduler);
}

static void check_ports(void)
{
    const struct levee_boot_info* info = system_info();
    if (system_block(LEVEE_BLOCK_ELEMENT_SERIAL) == NULL)
        return;
    if (info->stream_ports <= VEDA_PORT_NORMALISED)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; results leave the arrays on the "
              "first, normalised elements come to them on the second",
              info->scheduler, (unsigned long)info->stream_ports);
}

static void check_model(const struct model* model)
{
    check_ports();
    check_weights(&model->classifier, "the classifier");
    for (uint32_t i = 0; i < model->header.layers; ++i) {
        const struct layer* layer = &model->layers[i];
        const struct matrix* const matrices[] = {&layer->qkv, &layer->output, &layer->up,
                                                 &layer->down};
        for (size_t j = 0; j < sizeof matrices / sizeof *matrices; ++j)
            check_weights(matrices[j], "a layer");
    }
}

static void check_policy(const struct policy* policy)
{
    const struct levee_boot_info* info = system_info();
    if (policy->evicts && system_block(LEVEE_BLOCK_ELEMENT_SERIAL) == NULL)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has no element-serial unit, whose probabilities say who "
              "leaves the cache: expected kv_cache.policy full",
              info->scheduler);
    if (policy->scores && policy->score != LEVEE_KV_SCORE_SOFTMAX)
        fatal(EXIT_REFUSED,
              "kv_cache.score is logit; scheduler %s passes on probabilities: expected softmax",
              info->scheduler);
    if (policy->scores && info->stream_ports <= VEDA_PORT_PASSED_ON)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; the evictor hears probabilities on "
              "the third",
              info->scheduler, (unsigned long)info->stream_ports);
}

static uint32_t count_blocks(enum levee_block_type type)
{
    uint32_t count = 0;
    const struct levee_block_info* block = system_block(type);
    for (; block != NULL; block = system_block_after(block))
        ++count;
    return count;
}

/* One unit of each class in a group; without units of the other class there is one. Ends the run if
 * groups have no ports of their own. */
static uint32_t groups_of(enum levee_block_type one, enum levee_block_type other)
{
    const struct levee_boot_info* info = system_info();
    const uint32_t first = count_blocks(one), second = count_blocks(other);
    const uint32_t groups = first < second ? first : second;
    if (groups > 1 && info->stream_ports < (groups - 1) * VEDA_PORTS + VEDA_PORT_PASSED_ON)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; %lu groups of PE arrays and "
              "element-serial unit need %lu each",
              info->scheduler, (unsigned long)info->stream_ports, (unsigned long)groups,
              (unsigned long)VEDA_PORTS);
    return groups > 0 ? groups : 1;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void check_room(const struct veda_machine* machine, const struct model* model)
{
    if (!machine->serial && model->layers[0].up.rows < model->header.dim)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has no element-serial unit, and what is added to the "
              "residual stream is put where feed-forward layers have %lu elements; expected %lu",
              system_info()->scheduler, (unsigned long)model->layers[0].up.rows,
              (unsigned long)model->header.dim);
}

static void* open_machine(const struct target* target, const struct placement* placement)
{
    (void)target;
    const struct cache* cache = &placement->cache;
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_VEDA);
    struct veda_machine* machine = heap_take(sizeof *machine, "the machine");
    check_policy(cache->policy);
    voting_check(cache, placement->longest_prefill);
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no PE arrays");
    machine->systolic.score_scale = 1.0f / sqrtf((float)cache->model->header.head_dim);
    machine->systolic.layers =
        heap_take(cache->model->header.layers * sizeof *machine->systolic.layers, "the layers");
    machine->groups =
        groups_of(LEVEE_BLOCK_VEDA, (enum levee_block_type)LEVEE_BLOCK_ELEMENT_SERIAL);
    machine->vectors = larger(placement->chunk, placement->batch);
    machine->unused =
        heap_take(machine->groups * machine->vectors * sizeof *machine->unused, "the machine");
    machine->arrays = veda_arrays(block);
    machine->lanes = veda_lanes(block);
    machine->serial = system_block(LEVEE_BLOCK_ELEMENT_SERIAL) != NULL;
    check_room(machine, cache->model);
    return machine;
}

/* A sum in each lane. */
static uint64_t sum_bytes(void)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_VEDA);
    return block == NULL ? 0 : (uint64_t)veda_arrays(block) * veda_lanes(block) * FP32_BYTES;
}

static const struct kv_form kv_form = {8 * FP16_BYTES, LEVEE_TYPE_FP16};

static const struct machine veda_machine_table = {
    .classes = classes,
    .class_count = sizeof classes / sizeof *classes,
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .ordered_with = ordered_with,
    .placing = {.formats = formats,
                .kv_forms = &kv_form,
                .kv_form_count = 1,
                .activations = activations,
                .reread = reread,
                .activation_count = sizeof activations,
                .reread_count = sizeof reread,
                .reread_roles = {LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_ACTIVATIONS},
                .sum_bytes = sum_bytes},
    .check_model = check_model,
    .describe = refresh_describe,
    .open = open_machine,
    .start = refresh_start,
    .new_batch = refresh_new_batch,
};

const struct target target_veda = {.name = "veda", .machine = &veda_machine_table};
