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

const char* levee_latent_refusal(uint32_t properties, bool stages, bool compresses)
{
    if ((properties & MODEL_LATENT) == 0)
        return NULL;
    if (stages)
        return "arriving keys and values are staged, but the model has both in one latent "
               "vector; expected a scheduler that stores them at once";
    if (compresses)
        return "'kv_cache.cpq' packs rows of keys and of values, and the model has them in one "
               "latent vector; expected no such policy";
    return NULL;
}
