// SPDX-License-Identifier: Apache-2.0
/* Products on systolic arrays with weights that are in memory, and attention on these arrays, as a
 * whole or in tiles. */
#pragma once

#include "firmware/target/part.h"

extern const struct machine_part part_systolic_weights, part_systolic_attention;

/* Sets the formats of operands and results of products with weights on an array. Every part for
 * weights that gives a share to the array uses this function. */
void systolic_weight_formats(const struct model* model, struct value_format* formats);
extern const uint8_t systolic_reread[3];

/* The forms of keys and values that both the array and the function unit support, and the order of
 * activations for attention whose scores are in memory. */
#define SYSTOLIC_KV_FORMS 3u
extern const struct kv_form systolic_kv_forms[SYSTOLIC_KV_FORMS];
#define SYSTOLIC_ACTIVATIONS 18u
extern const uint8_t systolic_activations[SYSTOLIC_ACTIVATIONS];
void systolic_attention_formats(const struct model* model, struct value_format* formats);
