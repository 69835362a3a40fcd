// SPDX-License-Identifier: Apache-2.0
/* The "Original" system: operations in program order. Matrix products go to the arrays, all else to
 * the function unit (what a limited cache adds, to the evictor and the DMA engine); each operation
 * starts when what it reads has been written, so they overlap where the data allow it. */
#include "firmware/target/systolic/machine.h"

const struct target target_baseline = {
    .name = "baseline",
    .machine = &systolic_machine,
};
