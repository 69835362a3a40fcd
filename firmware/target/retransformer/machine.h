// SPDX-License-Identifier: Apache-2.0
/* A machine of ReRAM crossbars, a systolic array and a function unit (ReTransformer). The crossbars
 * keep the matrices of the layers and multiply by them. Attention is, by target:
 *
 *   reram_weights  on the array, as on the systolic machine
 *   reram_plain    in crossbars: keys and values are written by columns, then read
 *   reram_layers   decomposed, (Q W_K^T) X^T and (S X) W_V: X is written once, early; one product
 *                  after the other
 *   retransformer  the same, vector by vector through both products
 *
 * Rotated keys are not X W_K^T: with RoPE the scores are plain products. */
#pragma once

#include "firmware/target/target.h"

extern const struct target target_retransformer, target_retransformer_layers,
    target_retransformer_plain, target_retransformer_weights;
