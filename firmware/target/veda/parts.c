// SPDX-License-Identifier: Apache-2.0
/* PE arrays for products with weights and for attention, in FP16, and an element-serial unit that
 * normalises vectors on the way between the arrays (VEDA). */

#include "firmware/drivers/veda.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/veda/lower.h"

#include <stddef.h>

static const uint8_t ordered_by_weights[CACHE_VALUES] = {
    [VALUE_NORMED] = VALUE_X,
    [VALUE_PROJECTED] = VALUE_X,
};

static const uint8_t ordered_by_attention[CACHE_VALUES] = {
    [VALUE_PROBABILITIES] = VALUE_SCORES,
};

/* Without an element-serial unit, the term to be added to X uses the memory of EXPANDED, which is
 * no longer needed by then. */
static const uint8_t lies_with[CACHE_VALUES] = {[VALUE_PROJECTED] = VALUE_EXPANDED};

static const uint8_t activations[] = {
    VALUE_X,         VALUE_NORMED,     VALUE_QUERY,     VALUE_QKV,    VALUE_RAW_QUERY,
    VALUE_RAW_KEYS,  VALUE_RAW_VALUES, VALUE_MIXED,     VALUE_SCORES, VALUE_ATTENDED,
    VALUE_PROJECTED, VALUE_EXPANDED,   VALUE_ACTIVATED, VALUE_LOGITS,
};

/* With several vectors, the arrays read these values again for every block of results whose sums
 * they can keep. */
static const uint8_t reread_by_weights[] = {VALUE_NORMED, VALUE_ATTENDED, VALUE_ACTIVATED};
static const uint8_t reread_by_attention[] = {VALUE_QUERY};

static void weight_formats(const struct model* model, struct value_format* formats)
{
    static const uint8_t values[] = {VALUE_NORMED,   VALUE_QKV,        VALUE_RAW_QUERY,
                                     VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_ATTENDED,
                                     VALUE_EXPANDED, VALUE_ACTIVATED};
    (void)model;
    for (unsigned i = 0; i < sizeof values; ++i)
        formats[values[i]] = (struct value_format){FP16_BYTES, 0, LEVEE_TYPE_FP16};
    formats[VALUE_X] = (struct value_format){FP16_BYTES, STATISTICS_BYTES, LEVEE_TYPE_FP16};
    formats[VALUE_PROJECTED] = (struct value_format){0, 0, LEVEE_TYPE_FP16};
    formats[VALUE_LOGITS] = (struct value_format){FP32_BYTES, 0, LEVEE_TYPE_FP32};
}

static void attention_formats(const struct model* model, struct value_format* formats)
{
    (void)model;
    formats[VALUE_QUERY] = formats[VALUE_MIXED] =
        (struct value_format){FP16_BYTES, 0, LEVEE_TYPE_FP16};
    formats[VALUE_SCORES] = (struct value_format){FP16_BYTES, STATISTICS_BYTES, LEVEE_TYPE_FP16};
}

static void check_weights(const struct matrix* matrix, const char* what)
{
    const char* const scheduler = system_scheduler();
    if (matrix->data == 0)
        fatal(EXIT_REFUSED,
              "model image: the memory with the role weights keeps the matrices of %s; scheduler "
              "%s reads them from the memory with the role model",
              what, scheduler);
    if (matrix->type != LEVEE_TYPE_FP16)
        fatal(EXIT_REFUSED,
              "model image: %s has weights of type %s; scheduler %s supports only FP16 "
              "(model.weights: fp16)",
              what, model_type_name(matrix->type), scheduler);
    if (matrix->bias != 0 && system_info()->stream_ports <= VEDA_PORT_RESULTS)
        fatal(EXIT_REFUSED,
              "model image: %s has biases, but this system has no stream port on which scheduler "
              "%s could add them to the arrays' results",
              what, scheduler);
}

static void check_ports(const struct machine* machine)
{
    const struct levee_boot_info* info = system_info();
    const uint32_t results = machine->first_port + VEDA_PORT_RESULTS;
    const uint32_t normalised = machine->first_port + VEDA_PORT_NORMALISED;
    if (system_block(LEVEE_BLOCK_ELEMENT_SERIAL) == NULL)
        return;
    if (info->stream_ports <= normalised)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; expected port %lu for the arrays' "
              "results, and port %lu for normalised elements",
              machine->name, (unsigned long)info->stream_ports, (unsigned long)results + 1,
              (unsigned long)normalised + 1);
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

static void check_policy(const struct machine* machine, const struct policy* policy)
{
    const struct levee_boot_info* info = system_info();
    if (machine_attention(machine) != &part_veda_attention)
        return;
    if (policy->evicts && system_block(LEVEE_BLOCK_ELEMENT_SERIAL) == NULL)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has no element-serial unit, whose probabilities decide "
              "which token is evicted; expected kv_cache.policy full",
              machine->name);
    if (policy->scores && info->stream_ports <= machine->importance_port)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; expected port %lu for probabilities",
              machine->name, (unsigned long)info->stream_ports,
              (unsigned long)machine->importance_port + 1);
}

static uint32_t count_blocks(uint32_t type)
{
    uint32_t count = 0;
    const struct levee_block_info* block = system_block(type);
    for (; block != NULL; block = system_block_after(block))
        ++count;
    return count;
}

/* Returns the number of groups, each with one unit of every class. If a class has no units, there
 * is one group. Ends the run if groups do not have ports of their own. */
static uint32_t groups_of(const struct machine* machine)
{
    const struct levee_boot_info* info = system_info();
    const uint32_t first = count_blocks(LEVEE_BLOCK_VEDA);
    const uint32_t second = count_blocks(LEVEE_BLOCK_ELEMENT_SERIAL);
    const uint32_t groups = first < second ? first : second;
    const uint32_t last = machine->first_port + (groups - 1) * VEDA_PORTS;
    if (groups > 1 && info->stream_ports < last + VEDA_PORT_PASSED_ON)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has %lu stream ports; %lu groups of PE arrays and "
              "element-serial unit need %lu each",
              system_scheduler(), (unsigned long)info->stream_ports, (unsigned long)groups,
              (unsigned long)VEDA_PORTS);
    return groups > 0 ? groups : 1;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void check_room(const struct veda_machine* machine, const struct model* model)
{
    if (!machine->serial_functions && model->layers[0].up.rows < model->header.dim)
        fatal(EXIT_REFUSED,
              "scheduler %s: this system has no element-serial unit, so addends of the residual "
              "stream use the space of feed-forward layers, which is %lu elements wide; expected "
              "at least %lu",
              system_scheduler(), (unsigned long)model->layers[0].up.rows,
              (unsigned long)model->header.dim);
}

struct veda_machine veda;

static void open_veda(const struct machine* machine, const struct placement* placement)
{
    const struct cache* cache = &placement->cache;
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_VEDA);
    struct veda_machine* out = &veda;
    check_ports(machine);
    check_policy(machine, cache->policy);
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no PE arrays");
    out->groups = groups_of(machine);
    out->vectors = larger(placement->chunk, placement->batch);
    out->unused = heap_take(out->groups * out->vectors * sizeof *out->unused, "the machine");
    out->arrays = veda_arrays(block);
    out->lanes = veda_lanes(block);
    out->serial = system_block(LEVEE_BLOCK_ELEMENT_SERIAL) != NULL;
    out->serial_functions = out->serial && machine_has(machine, &part_serial_functions);
    if (machine_weights(machine) == &part_veda_weights)
        check_room(out, cache->model);
}

/* Returns how many bytes partial sums take at least: one sum in each lane. */
static uint64_t sum_bytes(void)
{
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_VEDA);
    return block == NULL ? 0 : (uint64_t)veda_arrays(block) * veda_lanes(block) * FP32_BYTES;
}

static const struct kv_form kv_form = {8 * FP16_BYTES, LEVEE_TYPE_FP16};

static const struct part_row weight_rows[] = {{OPERATION_LINEAR, {.partners = &veda_linear}}};

const struct machine_part part_veda_weights = {
    .name = "veda",
    .roles = 1u << PART_WEIGHTS,
    .unit = &class_veda,
    ROWS(weight_rows),
    .own_ports = true,
    .lacks = LACKS_OF_veda_weights,
    .set_formats = weight_formats,
    .ordered_with = ordered_by_weights,
    .lies_with = lies_with,
    REREAD(reread_by_weights),
    .sum_bytes = sum_bytes,
    .check_model = check_model,
    .open = open_veda,
};

static const struct part_row attention_rows[] = {
    {OPERATION_SCORES, {.partners = &veda_scores, .by_part = lower_by_part}},
    {OPERATION_SOFTMAX,
     {.partners = &veda_softmax, .by_part = lower_by_part, .is_needed = veda_softmax_is_needed}},
    {OPERATION_MIX, {.partners = &veda_mix, .by_part = lower_by_part}},
};

const struct machine_part part_veda_attention = {
    .name = "veda",
    .roles = 1u << PART_ATTENTION,
    ROWS(attention_rows),
    .own_ports = true,
    .lacks = LACKS_OF_veda_attention,
    .set_formats = attention_formats,
    .ordered_with = ordered_by_attention,
    REREAD(reread_by_attention),
    .abilities = ATTENTION_EVICTS | ATTENTION_WEIGHS | ATTENTION_RINGS | ATTENTION_BANDS,
    .importance_port = VEDA_PORT_PASSED_ON,
    .kv_forms = &kv_form,
    .kv_form_count = 1,
    ACTIVATIONS(activations),
    .open = open_veda,
};

static const struct part_row function_rows[] = {
    {OPERATION_NORM, {.partners = &veda_norm, .is_needed = veda_norm_is_needed}},
    {OPERATION_ADD,
     {.unit = &class_functions, .lower = lower_add, .is_needed = veda_add_is_needed}},
};

const struct machine_part part_serial_functions = {
    .name = "element_serial",
    .roles = 1u << PART_FUNCTIONS,
    .named_for = &class_serial,
    ROWS(function_rows),
    .own_ports = true,
    .lacks = LACKS_OF_serial_functions,
    .otherwise = &part_sfu_functions,
    .needs_weights = &part_veda_weights,
    .open = open_veda,
};
