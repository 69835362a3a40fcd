// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/rsa.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint32_t rsa_pe_count(const struct levee_block_info* array)
{
    return mmio_read32(array->base + LEVEE_RSA_ROWS) * mmio_read32(array->base + LEVEE_RSA_COLUMNS);
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
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : mmio_read32(array->base + LEVEE_RSA_COLUMNS);
}

uint32_t rsa_hz(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : mmio_read32(array->base + LEVEE_RSA_CLOCK_KHZ) * 1000;
}

uint64_t rsa_load_bytes_per_second(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : (uint64_t)mmio_read32(array->base + LEVEE_RSA_LOAD_BYTES) * rsa_hz();
}

uint32_t rsa_passes(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : mmio_read32(array->base + LEVEE_RSA_PASSES);
}

uint32_t rsa_stream_rows(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : mmio_read32(array->base + LEVEE_RSA_STREAM_ROWS);
}

uint32_t rsa_reads(uint32_t rows, uint32_t columns)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    if (array == NULL)
        return 0;
    const uint32_t folds = (columns + rsa_columns() - 1) / rsa_columns();
    const uint32_t shared = mmio_read32(array->base + LEVEE_RSA_SHARED_ROWS);
    const uint32_t together = shared > rows ? shared / rows : 1;
    return (folds + together - 1) / together;
}

bool rsa_hides_loads(uint32_t rows)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    if (array == NULL)
        return false;
    const uint64_t load_bytes = mmio_read32(array->base + LEVEE_RSA_LOAD_BYTES);
    return rows * rsa_passes() * load_bytes >= rsa_pe_count(array);
}

void rsa_set_ring(const struct levee_block_info* array, enum rsa_ring ring,
                  const struct rsa_ring_place* place)
{
    mmio_write32(array->base + LEVEE_RSA_RING_LO(ring), (uint32_t)place->address);
    mmio_write32(array->base + LEVEE_RSA_RING_HI(ring), (uint32_t)(place->address >> 32));
    mmio_write32(array->base + LEVEE_RSA_RING_BYTES(ring), place->bytes);
    mmio_write32(array->base + LEVEE_RSA_RING_STRIDE(ring), place->stride);
}
