// SPDX-License-Identifier: Apache-2.0
/* Products with weights in a flash, by the flash and the array. */
#pragma once

#include "firmware/drivers/flash.h"
#include "firmware/target/lower.h"

/* The model image's records of the matrices that the flash keeps. */
extern struct levee_flash_kept* flash_records;

/* The flash's record of the operation's matrix; NULL: the matrix is in memory. */
const struct levee_flash_kept* flash_kept(const struct lowering* lowering,
                                          const struct operation* operation);

/* The flash's share, and the array's (linear.c). */
extern const struct partners flash_linear;
