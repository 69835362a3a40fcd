// SPDX-License-Identifier: Apache-2.0
/* Division of operations over several function units. Vectors of heads are divided by key/value
 * heads, with the queries that share one. Elements of an activation are divided into as many
 * parts as there are units, unless the result has one scale for the whole vector. */
#pragma once

#include "firmware/target/part.h"

extern const struct split split_vectors, split_elements;
