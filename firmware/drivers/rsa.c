#include "firmware/drivers/rsa.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stddef.h>

uint32_t rsa_pe_count(void)
{
    const struct levee_block_info* array = system_block(LEVEE_BLOCK_RSA);
    if (array == NULL)
        return 0;
    return mmio_read32(array->base + LEVEE_RSA_ROWS) * mmio_read32(array->base + LEVEE_RSA_COLUMNS);
}
