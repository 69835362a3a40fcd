// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/recompute.h"

#include "core/abi/second.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"

#include <stdbool.h>
#include <stddef.h>

#define INPUT_BYTES 2u /* bytes of an element of an input */
#define SFU_PASSES                                                                                 \
    2u /* passes of the function unit over a vector that it converts to codes,                     \
          without those of a Hadamard matrix */

/* Rates of the machine in bytes per second. */
struct rates {
    uint64_t weights, load;    /* weights from their memory, and loading into the array */
    uint64_t fastest, slowest; /* the fastest and the slowest memory that may hold keys, values
                                  and inputs */
    uint64_t functions;        /* elements per second of the function unit */
};

static uint64_t picoseconds(uint64_t amount, uint64_t per_second)
{
    return amount * LEVEE_PS_PER_SECOND / per_second;
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

/* Returns how many rows per entry can pass through the array, after the batch's own rows, while the
 * next fold's weights arrive. */
static uint32_t idle_rows(const struct model* model, const struct rates* rates, uint32_t batch)
{
    const struct matrix* matrix = &model->layers[0].qkv;
    const uint32_t bits = matrix->row_bytes * 8 / matrix->cols;
    const uint64_t fold_bytes = (uint64_t)rsa_pe_count(system_block(LEVEE_BLOCK_RSA)) * bits / 8;
    const uint64_t rate = rates->weights < rates->load ? rates->weights : rates->load;
    const uint64_t passes = picoseconds(fold_bytes, rate) * rsa_hz() / LEVEE_PS_PER_SECOND;
    const uint64_t rows = passes / rsa_passes();
    return rows > batch ? (uint32_t)((rows - batch) / batch) : 0;
}

/* Returns whether recomputation saves time. An input is stored if more than half of the heads keep
 * the token. The token's keys and values are then not read from memory, but enter the array at the
 * same speed as before. The saving is therefore the time by which their memory is slower than the
 * array's input. There are two costs. The input is read from memory. The function unit converts
 * each product to a key and a value, while array and memory wait. These costs count twice
 * (firmware/README.md, `recompute:`). */
static bool saves_time(const struct model* model, const struct rates* rates)
{
    const struct levee_model_header* shape = &model->header;
    const uint32_t passes = SFU_PASSES + lower_hadamard_log2(model);
    const uint64_t heads = shape->kv_heads / 2 + 1;
    const uint64_t saved = heads * 2 * shape->head_dim * system_kv_bits() / 8;
    const uint64_t memory = picoseconds(saved, rates->fastest);
    const uint64_t array = picoseconds(saved, rates->load);
    const uint64_t fetch = picoseconds((uint64_t)shape->dim * INPUT_BYTES, rates->slowest);
    const uint64_t vectors = 2ull * shape->kv_heads * shape->head_dim;
    const uint64_t functions = picoseconds(vectors * passes, rates->functions);
    return memory > fetch + 2 * (array + functions);
}

uint32_t recompute_hidden_rows(const struct model* model, uint32_t batch)
{
    struct rates rates;
    if ((model->properties & MODEL_LATENT) || !of_machine(&rates) || !saves_time(model, &rates))
        return 0;
    return idle_rows(model, &rates, batch);
}
