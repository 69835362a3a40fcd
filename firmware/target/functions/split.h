// SPDX-License-Identifier: Apache-2.0
/* How operations are divided over several function units: vectors of heads by key/value heads,
 * those of queries that share one together; elements of an activation in as many parts as there are
 * units, unless the result has a scale for the whole vector. */
#pragma once

#include "firmware/target/part.h"

extern const struct split split_vectors, split_elements;
