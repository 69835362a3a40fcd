// SPDX-License-Identifier: Apache-2.0
/* Divides operations over several function units. Vectors of heads are divided by key/value heads.
 * The query heads that share a key/value head stay together. The elements of an activation are
 * divided into as many pieces as there are units, unless one scale applies to the whole vector. */
#pragma once

#include "firmware/target/part.h"

extern const struct split split_vectors, split_elements;
