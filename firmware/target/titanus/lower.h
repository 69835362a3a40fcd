// SPDX-License-Identifier: Apache-2.0
/* Lowering of a layer's operations to a descriptor of the cores. */
#pragma once

#include "firmware/drivers/cim.h"
#include "firmware/target/lower.h"

/* State of lowering for the machine. */
struct titanus {
    struct levee_cim_model* model; /* the model that descriptors refer to */
    struct levee_cim_packed*
        packed;            /* cores compress the kept keys and values; NULL: they do not */
    uint32_t final_tokens; /* tokens of the longest sequence at its end */
    bool chained;          /* a prompt goes through all layers by one descriptor */
};

extern struct titanus cores;

extern const struct unit_class class_cores;

/* Whether the descriptor with this operation goes through all layers. */
bool titanus_is_chained(const struct lowering* lowering, const struct pass* pass);

/* Compressed keys and values, by a separate block or, without one, by the cores themselves
 * (compressed.c). */
struct levee_cim_packed* titanus_describe_packed(const struct cache* cache);
bool titanus_unpacks(const struct policy* policy);
extern const struct machine_part part_cim_layers, part_cim_packing;

/* A layer's keys and values as vectors, of a pass that has them so. */
void titanus_set_vectors(const struct slices* slices, struct levee_cim_operation* out);

/* The first product of a layer, with which all of the layer is done; and the classifier. */
extern const struct partners titanus_linear;
bool titanus_linear_is_needed(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation, uint32_t part);
