// SPDX-License-Identifier: Apache-2.0
/* Names of the tags that a session's descriptors have (operation_tag). A program that uses a
 * session includes this file once, in one source. */
#pragma once

#include "core/abi/tag_names.h"
#include "firmware/cache/operations.h"

#define TAG_NAME(name) {OPERATION_##name, #name},
LEVEE_TAG_TABLE(session_tag_names) = {LLM_OPERATION_LIST(TAG_NAME) CACHE_OPERATION_LIST(TAG_NAME)};
#undef TAG_NAME
