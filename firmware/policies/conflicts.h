// SPDX-License-Identifier: Apache-2.0
/* Combinations of keys of `kv_cache:` that the policy, or a feature combined with it, does not
 * permit. The platform refuses them when it reads a scenario, and firmware refuses them when it
 * opens the policy. */
#pragma once

#include "firmware/policies/policies.h"

#ifdef __cplusplus
extern "C" {
#endif

struct levee_kv_conflict {
    const char* key;     /* name of the key to change */
    const char* message; /* "is ...; expected ..." */
    bool (*occurs)(const struct levee_kv_rule* rule, const struct levee_boot_info* info);
};

/* Returns the first conflict between a policy and the given keys; NULL: there is none. */
const struct levee_kv_conflict* levee_kv_conflict_of(const struct levee_kv_rule* rule,
                                                     const struct levee_boot_info* info);

#ifdef __cplusplus
}
#endif
