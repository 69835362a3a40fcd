// SPDX-License-Identifier: Apache-2.0
/* Converts a layer's operations to a descriptor of the compute-in-memory cores. */
#pragma once

#include "firmware/drivers/cim.h"
#include "firmware/target/lower.h"

/* The machine's state for lowering. */
struct titanus {
    struct levee_cim_model* model; /* the model that descriptors refer to */
    struct levee_cim_packed*
        packed;            /* the cores compress the cached keys and values; NULL: they do not */
    uint32_t final_tokens; /* number of tokens in the longest sequence at its end */
    bool chained;          /* one descriptor takes a prompt through all layers */
};

extern struct titanus cores;

extern const struct unit_class class_cores;

/* Returns whether the descriptor of this operation covers all layers, not only one. */
bool titanus_is_chained(const struct lowering* lowering, const struct pass* pass);

/* Describes compressed keys and values. Either a separate block or the cores themselves make them
 * (compressed.c). */
struct levee_cim_packed* titanus_describe_packed(const struct cache* cache);
bool titanus_unpacks(const struct policy* policy);
extern const struct machine_part part_cim_layers, part_cim_packing;

/* Sets a layer's keys and values, for a pass that has them as uncompressed vectors. */
void titanus_set_vectors(const struct slices* slices, struct levee_cim_operation* out);

/* Descriptors of products. The first product of a layer gets the descriptor for the whole layer.
 * The classifier has its own descriptor. */
extern const struct partners titanus_linear;
bool titanus_linear_is_needed(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation, uint32_t part);
