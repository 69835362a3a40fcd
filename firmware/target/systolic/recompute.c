// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/recompute.h"

#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/system.h"

#include <stdbool.h>
#include <stddef.h>

#define PS_PER_S 1000000000000ull
#define INPUT_BYTES 2u /* bytes of an element of an input */
#define SFU_PASSES 2u  /* over a vector that becomes codes */

/* Rates of the machine in bytes a second. */
struct rates {
    uint64_t weights, load;    /* rates of weights from their memory, and into the array */
    uint64_t fastest, slowest; /* rates of the memories that may hold keys, values and inputs */
    uint64_t functions;        /* elements a second of the function unit */
};

static uint64_t picoseconds(uint64_t amount, uint64_t per_second)
{
    return amount * PS_PER_S / per_second;
}

static void of_cache(struct rates* rates)
{
    const struct levee_boot_info* info = system_info();
    rates->fastest = rates->slowest = 0;
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        const uint64_t rate = memory->bytes_per_second;
        if ((memory->roles & LEVEE_ROLE_KV) == 0)
            continue;
        if (rate > rates->fastest)
            rates->fastest = rate;
        if (rates->slowest == 0 || rate < rates->slowest)
            rates->slowest = rate;
    }
}

static bool of_machine(struct rates* rates)
{
    const struct levee_memory_info* weights = system_memory(LEVEE_ROLE_MODEL);
    if (weights == NULL)
        return false;
    of_cache(rates);
    rates->weights = weights->bytes_per_second;
    rates->load = rsa_load_bytes_per_second();
    rates->functions = sfu_elements_per_second();
    return rates->slowest != 0 && rates->weights != 0 && rates->load != 0 && rates->functions != 0;
}

/* Rows that pass through the array while the next fold's weights arrive in it, less the batch's
 * own, for each entry. */
static uint32_t idle_rows(const struct model* model, const struct rates* rates, uint32_t batch)
{
    const struct matrix* matrix = &model->layers[0].qkv;
    const uint32_t bits = matrix->row_bytes * 8 / matrix->cols;
    const uint64_t fold_bytes = (uint64_t)rsa_pe_count(system_block(LEVEE_BLOCK_RSA)) * bits / 8;
    const uint64_t rate = rates->weights < rates->load ? rates->weights : rates->load;
    const uint64_t passes = picoseconds(fold_bytes, rate) * rsa_hz() / PS_PER_S;
    const uint64_t rows = passes / rsa_passes();
    return rows > batch ? (uint32_t)((rows - batch) / batch) : 0;
}

/* Whether recomputation saves time. An input is stored if more than half of the heads keep the
 * token. Its keys and values then need not be read from memory, but enter the array as before,
 * so the saving is the time by which their memory is slower than that. In return the input is
 * read from memory, and the function unit makes a key and a value from each product while both
 * other units wait. This cost counts twice (firmware/README.md, `recompute:`). */
static bool saves_time(const struct levee_model_header* shape, const struct rates* rates)
{
    const uint64_t heads = shape->kv_heads / 2 + 1;
    const uint64_t saved = heads * 2 * shape->head_dim * system_kv_bits() / 8;
    const uint64_t memory = picoseconds(saved, rates->fastest);
    const uint64_t array = picoseconds(saved, rates->load);
    const uint64_t fetch = picoseconds((uint64_t)shape->dim * INPUT_BYTES, rates->slowest);
    const uint64_t vectors = 2ull * shape->kv_heads * shape->head_dim;
    const uint64_t functions = picoseconds(vectors * SFU_PASSES, rates->functions);
    return memory > fetch + 2 * (array + functions);
}

uint32_t recompute_hidden_rows(const struct model* model, uint32_t batch)
{
    struct rates rates;
    if ((model->properties & MODEL_LATENT) || !of_machine(&rates) ||
        !saves_time(&model->header, &rates))
        return 0;
    return idle_rows(model, &rates, batch);
}
