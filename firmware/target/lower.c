// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/lower.h"

#include "firmware/drivers/rsa.h"
#include "ip/dma/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"

#include <stddef.h>

const struct unit_class class_array = {
    .type = LEVEE_BLOCK_RSA, .name = "systolic array", .capacity = rsa_pe_count};
const struct unit_class class_array_kv = {.type = LEVEE_BLOCK_RSA,
                                          .name = "systolic array",
                                          .otherwise = &class_array,
                                          .capacity = rsa_pe_count};
const struct unit_class class_functions = {.type = LEVEE_BLOCK_SFU, .name = "function unit"};
const struct unit_class class_dma = {.type = LEVEE_BLOCK_DMA, .name = "DMA engine"};
const struct unit_class class_evictor = {.type = LEVEE_BLOCK_SYSTOLIC_EVICTOR,
                                         .name = "systolic evictor"};

bool lower_by_part(const struct pass* pass)
{
    (void)pass;
    return true;
}
