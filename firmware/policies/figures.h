// SPDX-License-Identifier: Apache-2.0
/* Names of figures that firmware reports of a policy and that the platform reads, too
 * (docs/results.md). */
#pragma once

#define LEVEE_FIGURE_RECOMPUTED_ROWS "kelle.recompute_rows"      /* over all layers and steps */
#define LEVEE_FIGURE_RECOMPUTE_OFF_GQA "kelle.recompute_off_gqa" /* 1: off, as it gains nothing */
/* Reason why recomputation is off, likewise. */
#define LEVEE_FIGURE_RECOMPUTE_OFF_BITS "kelle.recompute_off_bits"
