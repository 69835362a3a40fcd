// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/lower.h"

const struct value_format lower_formats[CACHE_VALUES] = {
    [VALUE_X] = {4},
    [VALUE_NORMED] = {2, FP32_BYTES},
    [VALUE_QKV] = {4},
    [VALUE_QUERY] = {2, FP32_BYTES},
    [VALUE_SCORES] = {4},
    [VALUE_PROBABILITIES] = {2, FP32_BYTES},
    [VALUE_MIXED] = {4},
    [VALUE_ATTENDED] = {2, FP32_BYTES},
    [VALUE_PROJECTED] = {4},
    [VALUE_EXPANDED] = {4},
    [VALUE_ACTIVATED] = {2, FP32_BYTES},
    [VALUE_LOGITS] = {4},
    [VALUE_RAW_QUERY] = {4},
    [VALUE_RAW_KEYS] = {4},
    [VALUE_RAW_VALUES] = {4},
    [VALUE_STAGED_KEYS] = {2},
    [VALUE_STAGED_VALUES] = {2}, /* their scales are in the cache's tables */
};

const struct kv_form lower_kv_forms[LOWER_KV_FORMS] = {
    {16, LEVEE_TYPE_INT16}, {8, LEVEE_TYPE_INT8}, {4, LEVEE_TYPE_INT4}};

bool lower_by_part(const struct pass* pass)
{
    (void)pass;
    return true;
}
