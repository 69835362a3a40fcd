// SPDX-License-Identifier: Apache-2.0
/* Names of policy metrics that firmware reports and the platform reads (docs/results.md). */
#pragma once

#define LEVEE_FIGURE_RECOMPUTED_ROWS "kelle.recompute_rows"      /* sum over layers and steps */
#define LEVEE_FIGURE_RECOMPUTE_OFF_GQA "kelle.recompute_off_gqa" /* 1: it saves no bytes */
/* 1: recomputation is off because keys and values have few bits. */
#define LEVEE_FIGURE_RECOMPUTE_OFF_BITS "kelle.recompute_off_bits"
