// SPDX-License-Identifier: Apache-2.0
/* Makes one invalid access, selected by WRONG. */
#include "test/firmware/checks/wrong.h"

int main(void)
{
    const uintptr_t rsa = system_block(LEVEE_BLOCK_RSA)->base;
#if WRONG == 1 /* No memory is mapped at this address. */
    (void)rsa;
    return (int)mmio_read32(0x00100000u);
#elif WRONG == 2 /* The register does not exist. */
    return (int)mmio_read32(rsa + 0x100u);
#elif WRONG == 3 /* The address is not aligned. */
    return (int)mmio_read32(rsa + LEVEE_CMD_STATUS + 2u);
#elif WRONG == 4 /* The register is read-only. */
    mmio_write32(rsa + LEVEE_CMD_DONE_COUNT, 0);
    return 0;
#else            /* The access is to a byte of a register. */
    return *(volatile uint8_t*)(rsa + LEVEE_CMD_STATUS);
#endif
}
