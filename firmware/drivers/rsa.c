// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/rsa.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint32_t rsa_pe_count(const struct levee_block_info* array)
{
    return mmio_read32(array->base + LEVEE_RSA_ROWS) * mmio_read32(array->base + LEVEE_RSA_COLUMNS);
}

uint32_t rsa_columns(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : mmio_read32(array->base + LEVEE_RSA_COLUMNS);
}

uint32_t rsa_passes(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    return array == NULL ? 0 : mmio_read32(array->base + LEVEE_RSA_PASSES);
}

void rsa_set_ring(const struct levee_block_info* array, enum rsa_ring ring,
                  const struct rsa_ring_place* place)
{
    mmio_write32(array->base + LEVEE_RSA_RING_LO(ring), (uint32_t)place->address);
    mmio_write32(array->base + LEVEE_RSA_RING_HI(ring), (uint32_t)(place->address >> 32));
    mmio_write32(array->base + LEVEE_RSA_RING_BYTES(ring), place->bytes);
    mmio_write32(array->base + LEVEE_RSA_RING_STRIDE(ring), place->stride);
}
