// SPDX-License-Identifier: Apache-2.0
#include "firmware/machines/properties.h"

#include <stddef.h>

static const char* const texts[MODEL_PROPERTIES] = {
#define PROPERTY_TEXT(name, number, text) [number] = text,
    LEVEE_MODEL_PROPERTIES(PROPERTY_TEXT)
#undef PROPERTY_TEXT
};

const char* levee_property_text(uint32_t properties)
{
    return texts[__builtin_ctz(properties)];
}

const char* levee_hadamard_refusal(uint32_t lacks, uint32_t properties, uint32_t head_dim)
{
    if (lacks & MODEL_HADAMARD)
        return "a part of the machine has no function unit that multiplies by this matrix; "
               "expected false, or systolic attention with functions by sfu";
    if (properties & MODEL_LATENT)
        return "the model has latent keys and values; expected false, or another model";
    if ((head_dim & (head_dim - 1)) != 0)
        return "the model's heads have a dimension that is not a power of two; expected false, or "
               "another model";
    return NULL;
}

const char* levee_latent_refusal(uint32_t properties, bool stages, bool compresses)
{
    if ((properties & MODEL_LATENT) == 0)
        return NULL;
    if (stages)
        return "arriving keys and values are staged, but the model has both in one latent "
               "vector; expected a scheduler that stores them at once";
    if (compresses)
        return "'kv_cache.cpq' packs rows of keys and of values, and the model has them in one "
               "latent vector; expected another policy";
    return NULL;
}
