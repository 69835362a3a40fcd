// SPDX-License-Identifier: Apache-2.0
/* VEDA: PE arrays that multiply vectors with matrices, an element-serial function unit beside their
 * results and before their operands, and a function unit of few lanes for everything else. All
 * values rest in FP16. Full caches and those that a systolic evictor limits. */
#pragma once

#include "firmware/target/target.h"

extern const struct target target_veda;
