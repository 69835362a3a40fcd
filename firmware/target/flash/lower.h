// SPDX-License-Identifier: Apache-2.0
/* How operations become descriptors of the flash, the array and the function unit. Everything but
 * products with weights, and the vectors that they read, is lowered as on the systolic machine
 * (target/systolic/lower.h). */
#pragma once

#include "firmware/drivers/flash.h"
#include "firmware/target/systolic/lower.h"

/* Classes of units, in the order of their numbers. */
enum flash_class {
    FLASH_CLASS_FLASH,
    FLASH_CLASS_ARRAY,
    FLASH_CLASS_FUNCTIONS,
    FLASH_CLASS_DMA,
    FLASH_CLASS_ASSOCIATIVE
};

/* What lowering keeps of the machine. */
struct flash_machine {
    struct systolic systolic;            /* first: for what is lowered as there */
    const struct levee_flash_kept* kept; /* records of the model image */
    uint32_t input_bytes;                /* of an element that products with weights read */
};

static inline const struct flash_machine* flash_machine(const struct lowering* lowering)
{
    return lowering->machine;
}

/* What the flash says of the operation's matrix; NULL: it is in memory. */
const struct levee_flash_kept* flash_kept(const struct lowering* lowering,
                                          const struct operation* operation);

/* Products with weights: the flash's share, and the array's (linear.c). */
extern const struct partners flash_linear;

/* Vectors that they read, in the flash's element size (vectors.c). */
lower_operation flash_norm, flash_quantise, flash_activate;
