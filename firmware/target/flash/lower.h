// SPDX-License-Identifier: Apache-2.0
/* Products with weights that are stored in a flash. */
#pragma once

#include "firmware/drivers/flash.h"
#include "firmware/target/lower.h"

/* The model image's records of the matrices in the flash. */
extern struct levee_flash_kept* flash_records;

/* Returns the flash's record of the operation's matrix; NULL: the matrix is in memory. */
const struct levee_flash_kept* flash_kept(const struct lowering* lowering,
                                          const struct operation* operation);

/* The two partners of a product: the flash's cores and the array (linear.c). */
extern const struct partners flash_linear;
