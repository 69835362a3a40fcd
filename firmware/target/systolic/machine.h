// SPDX-License-Identifier: Apache-2.0
/* A machine of systolic arrays, function units, an evictor and a DMA engine, and the targets that
 * use it. Weights are INT8, INT4 or INT3, what products read of activations, keys and values INT16.
 */
#pragma once

#include "firmware/target/target.h"

extern const struct machine systolic_machine;

extern const struct target target_baseline, target_kelle, target_kelle_baseline;
