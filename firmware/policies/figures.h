// SPDX-License-Identifier: Apache-2.0
/* Names of a policy's figures that firmware reports and the platform reads (docs/results.md). */
#pragma once

#define LEVEE_FIGURE_RECOMPUTED_ROWS "kelle.recompute_rows"      /* over all layers and steps */
#define LEVEE_FIGURE_RECOMPUTE_OFF_GQA "kelle.recompute_off_gqa" /* 1: off, as it gains nothing */
/* Reason why recomputation is off, likewise. */
#define LEVEE_FIGURE_RECOMPUTE_OFF_BITS "kelle.recompute_off_bits"
