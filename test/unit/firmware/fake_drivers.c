// SPDX-License-Identifier: Apache-2.0
/* Fake drivers of blocks. They answer the firmware's questions about the blocks' structure. */
#include "firmware/drivers/cam.h"
#include "firmware/drivers/cpq.h"
#include "firmware/drivers/flash.h"
#include "firmware/drivers/reram.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/drivers/veda.h"
#include "firmware/drivers/voting_engine.h"
#include "firmware/hal/system.h"
#include "test/unit/firmware/fake_state.h"

uint32_t rsa_pe_count(const struct levee_block_info* array)
{
    (void)array;
    return 1024;
}

uint32_t rsa_count(void)
{
    uint32_t count = 0;
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    for (; array != NULL; array = system_block_after(array))
        count += array->shares == 0;
    return count;
}

uint32_t rsa_columns(void)
{
    return 32;
}

uint32_t rsa_hz(void)
{
    return 1000000000;
}

uint64_t rsa_load_bytes_per_second(void)
{
    return fake.load_bytes_per_second;
}

uint32_t voting_capacity(void)
{
    return fake.voting_capacity;
}

struct cam_build cam_build(void)
{
    return (struct cam_build){fake.cam_rows, 64, 1, 4};
}

uint64_t cam_rows(const struct cam_build* build, uint32_t cells)
{
    (void)cells;
    return build->rows;
}

uint64_t cpq_sz_bytes(void)
{
    return fake.sz_bytes;
}

/* The system has no crossbars. */
uint32_t reram_register(uint32_t offset)
{
    (void)offset;
    return 0;
}

uint32_t reram_units(uint32_t rows, uint32_t columns, uint32_t bits)
{
    (void)rows, (void)columns, (void)bits;
    return 0;
}

uint64_t sfu_elements_per_second(void)
{
    return fake.elements_per_second;
}

uint32_t veda_arrays(const struct levee_block_info* block)
{
    (void)block;
    return 2;
}

uint32_t veda_lanes(const struct levee_block_info* block)
{
    (void)block;
    return 64;
}

uint32_t rsa_passes(void)
{
    return fake.passes;
}

uint32_t rsa_stream_rows(void)
{
    return 32;
}

uint64_t flash_product_ns(const struct levee_flash_kept* kept)
{
    (void)kept;
    return fake.flash_ns;
}

uint64_t flash_fetch_ns(const struct levee_flash_kept* kept)
{
    (void)kept;
    return fake.flash_fetch_ns;
}

uint32_t rsa_reads(uint32_t rows, uint32_t columns)
{
    (void)rows;
    return columns / rsa_columns() + 1;
}

bool rsa_hides_loads(uint32_t rows)
{
    (void)rows;
    return true;
}

void rsa_set_ring(const struct levee_block_info* array, enum rsa_ring ring,
                  const struct rsa_ring_place* place)
{
    (void)array;
    fake.outcome->rings[ring].address = place->address;
    fake.outcome->rings[ring].bytes = place->bytes;
    fake.outcome->rings[ring].stride = place->stride;
    ++fake.outcome->rings[ring].writes;
}
