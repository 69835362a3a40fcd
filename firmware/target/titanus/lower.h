// SPDX-License-Identifier: Apache-2.0
/* How a layer's operations become a descriptor of the cores. What is no layer's is lowered as on
 * the systolic machine (target/systolic/lower.h). */
#pragma once

#include "firmware/drivers/cim.h"
#include "firmware/target/systolic/lower.h"

/* Classes of units, in the order of their numbers. */
enum titanus_class { TITANUS_CORES, TITANUS_FUNCTIONS, TITANUS_ARRAY, TITANUS_CPQ, TITANUS_DMA };

/* What lowering keeps of the machine. */
struct titanus {
    struct systolic systolic;        /* first: for what is lowered as there */
    struct levee_cim_model* model;   /* what descriptors refer to */
    struct levee_cim_packed* packed; /* cores compress what they keep; NULL: they do not */
    uint32_t final_tokens;           /* of the longest sequence in the end */
    uint32_t input_bytes;            /* of an element that products with weights read */
    bool chained;                    /* a prompt goes through all layers by one descriptor */
};

static inline const struct titanus* titanus_of(const struct lowering* lowering)
{
    return lowering->machine;
}

/* The final norm, in the element size of what reads it. */
lower_operation titanus_norm;

/* Whether the descriptor with this operation goes through all layers. */
bool titanus_is_chained(const struct lowering* lowering, const struct pass* pass);

/* Compressed keys and values: by a block beside the cores, or by themselves where there is none
 * (compressed.c). */
struct levee_cim_packed* titanus_describe_packed(const struct cache* cache);
bool titanus_block_compresses(const struct target* target, const struct lowering* lowering);
bool titanus_compress_is_needed(const struct lowering* lowering, const struct pass* pass,
                                const struct operation* operation, uint32_t part);
extern const struct partners titanus_compress_prompt;

/* A layer's keys and values as vectors, of a pass that has them so. */
void titanus_set_vectors(const struct slices* slices, struct levee_cim_operation* out);

/* The first product of a layer, with which all of the layer is done; and the classifier. */
extern const struct partners titanus_linear;
bool titanus_linear_is_needed(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation, uint32_t part);
