// SPDX-License-Identifier: Apache-2.0
/* Features of models beyond the plain transformer. Firmware and platform are both compiled with
 * this list. */
#pragma once

#include "core/abi/model_image.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* HADAMARD is a feature of the cache, which the scenario asks for; no model has it.
 *
 * Some components store matrices of layers in their own format. They store no matrices of
 * experts, because only some experts are read for each token. X(name, number, text): `text` is
 * for messages. */
#define LEVEE_MODEL_PROPERTIES(X)                                                                  \
    X(NORMS_AFTER, 0, "norms after attention and the feed-forward network")                        \
    X(HEAD_NORMS, 1, "norms of queries and keys by head")                                          \
    X(ALL_HEAD_NORMS, 2, "norms of queries and keys over all heads")                               \
    X(PARALLEL, 3, "a feed-forward network in parallel to attention")                              \
    X(SCORE_CAP, 4, "capped scores")                                                               \
    X(LOGIT_CAP, 5, "capped logits")                                                               \
    X(PARTLY_ROTATED, 6, "a rotation of only some elements or layers")                             \
    X(OTHER_ACTIVATION, 7, "an activation other than SiLU, ReLU and GELU")                         \
    X(EXPERTS, 8, "several experts a layer")                                                       \
    X(SINKS, 9, "attention sinks")                                                                 \
    X(LATENT, 10, "latent keys and values")                                                        \
    X(HADAMARD, 11, "a cache of products with a Hadamard matrix")
enum model_property {
#define LEVEE_MODEL_PROPERTY(name, number, text) MODEL_##name = 1 << (number),
    LEVEE_MODEL_PROPERTIES(LEVEE_MODEL_PROPERTY)
#undef LEVEE_MODEL_PROPERTY
};
#define MODEL_PROPERTIES 12u
#define MODEL_ALL_PROPERTIES ((1u << MODEL_PROPERTIES) - 1)

/* Facts about a model that its tensors show, but its header does not state. */
struct levee_model_facts {
    uint32_t query_norm;  /* number of elements in the gain of the queries' norm; 0: no such norm */
    uint32_t layer_flags; /* enum levee_layer_flag of all layers together */
    bool norms_after;     /* whether the outputs of attention and the network have norms */
    bool local_phases;    /* local layers have their own rotation phases */
    bool sinks;
};

static inline uint32_t levee_property_if(enum model_property property, bool has)
{
    return has ? (uint32_t)property : 0u;
}

/* Returns the features that a model uses, as a set of enum model_property. */
static inline uint32_t levee_model_properties(const struct levee_model_header* header,
                                              const struct levee_model_facts* facts)
{
    const struct levee_model_structure* structure = &header->structure;
    const bool by_head = facts->query_norm == header->head_dim;
    const bool partly = (structure->rotated != 0 && structure->rotated != header->head_dim) ||
                        (facts->layer_flags & LEVEE_LAYER_UNROTATED) != 0 || facts->local_phases;
    return levee_property_if(MODEL_NORMS_AFTER, facts->norms_after) |
           levee_property_if(MODEL_HEAD_NORMS, by_head) |
           levee_property_if(MODEL_ALL_HEAD_NORMS, facts->query_norm != 0 && !by_head) |
           levee_property_if(MODEL_PARALLEL, (structure->flags & LEVEE_STRUCTURE_PARALLEL) != 0) |
           levee_property_if(MODEL_SCORE_CAP, structure->score_cap != 0.0f) |
           levee_property_if(MODEL_LOGIT_CAP, structure->logit_cap != 0.0f) |
           levee_property_if(MODEL_PARTLY_ROTATED, partly) |
           levee_property_if(MODEL_EXPERTS, structure->experts != 0) |
           levee_property_if(MODEL_SINKS, facts->sinks) |
           levee_property_if(MODEL_LATENT, structure->kv_latent != 0) |
           levee_property_if(MODEL_OTHER_ACTIVATION, header->activation > LEVEE_ACTIVATION_GELU);
}

/* Returns the text of the first property in the set, for messages. */
const char* levee_property_text(uint32_t properties);

/* Returns the reason why a machine does not support latent vectors, which serve as both key and
 * value. Either the machine stages arriving vectors, or its cache compresses rows. NULL: it
 * supports them. */
const char* levee_latent_refusal(uint32_t properties, bool stages, bool compresses);

/* Returns the reason why keys and values cannot be stored as products with a Hadamard matrix, on a
 * machine whose parts lack the features `lacks`. NULL: they can. */
const char* levee_hadamard_refusal(uint32_t lacks, uint32_t properties, uint32_t head_dim);

#ifdef __cplusplus
}
#endif
