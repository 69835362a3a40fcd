// SPDX-License-Identifier: Apache-2.0
/* Products with weights on systolic arrays, which read them from memory, and attention on these
 * arrays, whole or in tiles. */
#pragma once

#include "firmware/target/part.h"

extern const struct machine_part part_systolic_weights, part_systolic_attention;

/* Formats of the operands and results of products with weights on an array, for every part for
 * weights that gives the array a share. */
void systolic_weight_formats(const struct model* model, struct value_format* formats);
extern const uint8_t systolic_reread[3];

/* Keys and values as array and function unit take them, and the order of activations that serves
 * attention whose scores are in memory. */
#define SYSTOLIC_KV_FORMS 3u
extern const struct kv_form systolic_kv_forms[SYSTOLIC_KV_FORMS];
#define SYSTOLIC_ACTIVATIONS 18u
extern const uint8_t systolic_activations[SYSTOLIC_ACTIVATIONS];
void systolic_attention_formats(const struct model* model, struct value_format* formats);
