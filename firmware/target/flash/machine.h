// SPDX-License-Identifier: Apache-2.0
/* A machine of a flash that computes, a systolic array and a function unit (Cambricon-LLM). The
 * flash keeps the matrices of the layers and computes its share of each product in its dies; the
 * array does the rest at the same time, with weights that the flash streams to it, and all products
 * with keys and values, and the classifier. One token of one sequence a pass. */
#pragma once

#include "firmware/target/target.h"

extern const struct target target_flash;
