// SPDX-License-Identifier: Apache-2.0
/* Places of matrices in crossbars, and the stages of products with them. The matrices of weights
 * come first. The columns of inputs, or of keys and values, follow layer by layer and entry by
 * entry. There is one column for each slot of the cache. */
#include "firmware/target/retransformer/lower.h"

#define ACTIVATION_BITS 16u

/* Returns a stage with a matrix of 16-bit columns, which are indexed by slot and have `lines`
 * elements each. */
static struct levee_reram_stage of_columns(uint32_t unit, uint32_t lines, uint32_t slots,
                                           enum levee_reram_access access)
{
    return (struct levee_reram_stage){
        .unit = unit,
        .rows = lines,
        .columns = slots,
        .bits = ACTIVATION_BITS,
        .access = (uint8_t)access,
        .lines = access == LEVEE_RERAM_COLUMNS_SENSED ? slots : lines,
    };
}

/* Returns a stage with rows [first, first + count) of a matrix of weights. */
static struct levee_reram_stage of_weights(const struct levee_reram_kept* kept, uint32_t first,
                                           uint32_t count)
{
    return (struct levee_reram_stage){
        .unit = kept->unit,
        .rows = kept->columns,
        .columns = kept->rows,
        .bits = 8,
        .access = LEVEE_RERAM_COLUMNS_SENSED,
        .sense = first,
        .lines = count,
    };
}

static uint32_t head_units(const struct levee_model_header* shape, uint32_t slots)
{
    return reram_units(shape->head_dim, slots, ACTIVATION_BITS);
}

static uint32_t input_units(const struct levee_model_header* shape, uint32_t slots)
{
    return reram_units(shape->dim, slots, ACTIVATION_BITS);
}

static uint32_t key_units(const struct retransformer* machine,
                          const struct levee_model_header* shape, uint32_t slots)
{
    return machine->scores_decomposed ? 0 : shape->kv_heads * head_units(shape, slots);
}

uint32_t retransformer_entry_units(const struct retransformer* machine,
                                   const struct levee_model_header* shape, uint32_t slots)
{
    if (!machine->in_crossbars)
        return 0;
    return key_units(machine, shape, slots) + (machine->decomposed
                                                   ? input_units(shape, slots)
                                                   : shape->kv_heads * head_units(shape, slots));
}

/* Sets the strides from entry to entry and from head to head. */
static void set_strides(struct levee_reram_stage* stage, uint32_t entry, uint32_t head)
{
    stage->unit_stride[0] = entry;
    stage->unit_stride[1] = head;
}

/* Sets the stages that write and read keys or values, with one matrix per head. */
static void set_plain(const struct levee_model_header* shape, uint32_t slots, uint32_t unit,
                      uint32_t entry_units, enum levee_reram_access access,
                      struct levee_reram_stage* written, struct levee_reram_stage* read)
{
    *read = of_columns(unit, shape->head_dim, slots, access);
    set_strides(read, entry_units, head_units(shape, slots));
    *written = *read;
    written->access = LEVEE_RERAM_COLUMNS_SENSED;
    written->lines = 1;
}

/* Sets the stages for a single copy of X, which all heads read: by columns for scores, and by rows
 * for the products of probabilities and X. */
static void set_decomposed(const struct retransformer* machine,
                           const struct levee_model_header* shape, uint32_t slots, uint32_t unit,
                           uint32_t entry_units, const struct levee_reram_kept* qkv,
                           struct attention_stages* stages)
{
    const uint32_t keys = shape->heads * shape->head_dim;
    const uint32_t values = keys + shape->kv_heads * shape->head_dim;
    if (machine->scores_decomposed) {
        stages->scores[0] = of_weights(qkv, 0, 0);
        stages->scores[0].access = LEVEE_RERAM_ROWS_SENSED;
        stages->scores[0].drive = keys;
        stages->scores[0].drive_stride = shape->head_dim;
        stages->scores[0].lines = shape->dim;
        stages->scores[0].result_bits = ACTIVATION_BITS;
        stages->scores[1] = of_columns(unit, shape->dim, slots, LEVEE_RERAM_COLUMNS_SENSED);
        set_strides(&stages->scores[1], entry_units, 0);
    }
    stages->mix[0] = of_columns(unit, shape->dim, slots, LEVEE_RERAM_ROWS_SENSED);
    stages->mix[0].result_bits = ACTIVATION_BITS;
    set_strides(&stages->mix[0], entry_units, 0);
    stages->mix[1] = of_weights(qkv, values, shape->head_dim);
    stages->mix[1].sense_stride = shape->head_dim;
    stages->values = of_columns(unit, shape->dim, slots, LEVEE_RERAM_COLUMNS_SENSED);
    stages->values.lines = 1;
    set_strides(&stages->values, entry_units, 0);
}

void retransformer_set_attention(const struct retransformer* machine,
                                 const struct levee_model_header* shape, uint32_t slots,
                                 uint32_t unit, const struct levee_reram_kept* qkv,
                                 struct attention_stages* stages)
{
    const uint32_t entry_units = retransformer_entry_units(machine, shape, slots);
    const uint32_t second = unit + key_units(machine, shape, slots);
    if (!machine->scores_decomposed)
        set_plain(shape, slots, unit, entry_units, LEVEE_RERAM_COLUMNS_SENSED, &stages->keys,
                  &stages->scores[0]);
    if (machine->decomposed)
        set_decomposed(machine, shape, slots, second, entry_units, qkv, stages);
    else
        set_plain(shape, slots, second, entry_units, LEVEE_RERAM_ROWS_SENSED, &stages->values,
                  &stages->mix[0]);
}

void retransformer_set_linear(const struct retransformer* machine, const struct model* model,
                              uint32_t index, const struct levee_reram_kept* kept,
                              struct retransformer_layer* layer)
{
    const struct layer* weights = &model->layers[index];
    const uint64_t first = model->address + model->header.kept_offset;
    const struct matrix* const matrices[LINEARS] = {
        [LINEAR_QKV] = &weights->qkv, [LINEAR_QUERY] = &weights->qkv,
        [LINEAR_KEY] = &weights->qkv, [LINEAR_OUTPUT] = &weights->output,
        [LINEAR_UP] = &weights->up,   [LINEAR_DOWN] = &weights->down,
    };
    (void)machine;
    for (unsigned i = 0; i < LINEARS; ++i) {
        const struct levee_reram_kept* its =
            &kept[(matrices[i]->kept - first) / sizeof(struct levee_reram_kept)];
        layer->linear[i] = of_weights(its, 0, its->rows);
    }
    layer->qkv = &kept[(weights->qkv.kept - first) / sizeof(struct levee_reram_kept)];
    layer->linear[LINEAR_QUERY].lines = weights->query.rows;
    layer->linear[LINEAR_KEY].sense = weights->query.rows;
    layer->linear[LINEAR_KEY].lines = weights->key.rows;
}
