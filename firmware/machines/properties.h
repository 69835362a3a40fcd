// SPDX-License-Identifier: Apache-2.0
/* Features of models beyond the plain transformer. Both firmware and platform are compiled with
 * this list. */
#pragma once

#include "core/abi/model_image.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Components that keep matrices of layers in their own format keep none of experts, which are
 * read by choice. X(name, number, text): text for messages. */
#define LEVEE_MODEL_PROPERTIES(X)                                                                  \
    X(NORMS_AFTER, 0, "norms of what attention and the feed-forward network add")                  \
    X(HEAD_NORMS, 1, "norms of queries and keys by head")                                          \
    X(ALL_HEAD_NORMS, 2, "norms of queries and keys over all heads")                               \
    X(PARALLEL, 3, "a feed-forward network that reads what attention reads")                       \
    X(SCORE_CAP, 4, "capped scores")                                                               \
    X(LOGIT_CAP, 5, "capped logits")                                                               \
    X(PARTLY_ROTATED, 6, "a rotation of some elements or layers alone")                            \
    X(OTHER_ACTIVATION, 7, "an activation other than SiLU, ReLU and GELU")                         \
    X(EXPERTS, 8, "several experts a layer")                                                       \
    X(SINKS, 9, "sinks of attention")                                                              \
    X(LATENT, 10, "latent keys and values")
enum model_property {
#define LEVEE_MODEL_PROPERTY(name, number, text) MODEL_##name = 1 << (number),
    LEVEE_MODEL_PROPERTIES(LEVEE_MODEL_PROPERTY)
#undef LEVEE_MODEL_PROPERTY
};
#define MODEL_PROPERTIES 11u
#define MODEL_ALL_PROPERTIES ((1u << MODEL_PROPERTIES) - 1)

/* Facts about a model that its tensors show and its header does not. */
struct levee_model_facts {
    uint32_t query_norm; /* number of elements in the gain of the queries' norm; 0: there is no such
                            norm */
    uint32_t layer_flags; /* enum levee_layer_flag that some layer has */
    bool norms_after;     /* Norms of the outputs of attention and the feed-forward network. */
    bool local_phases;    /* local layers are rotated with their own phases */
    bool sinks;
};

static inline uint32_t levee_property_if(enum model_property property, bool has)
{
    return has ? (uint32_t)property : 0u;
}

/* The properties of a model: a set of enum model_property. */
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

/* The text of the first of some properties, for messages. */
const char* levee_property_text(uint32_t properties);

/* Reason why a machine does not support latent vectors, which are keys and values in one: it
 * stages arriving vectors, or its cache compresses rows. NULL: it supports them. */
const char* levee_latent_refusal(uint32_t properties, bool stages, bool compresses);

#ifdef __cplusplus
}
#endif
