// SPDX-License-Identifier: Apache-2.0
/* The "Original" system: one array, one function unit, operations in program order. Matrix products
 * go to the array, all else to the function unit (what a limited cache adds, to the evictor and the
 * DMA engine); each operation starts when what it reads has been written, so they overlap where the
 * data allow it. */
#include "firmware/sched/issue.h"

const struct scheduler scheduler_baseline = {
    .name = "baseline",
    .unit_of = issue_unit,
};
