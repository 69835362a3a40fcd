// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "firmware/policies/keys.h"

#include <span>

namespace levee::config {

/// All keys of `kv_cache:`, as declared in that table and that of policies. They stay where they
/// are.
[[nodiscard]] std::span<const Key> kv_cache_keys();

/// Reads one of these keys into its field of `info`. Not for keys of the type LEVEE_KV_TYPE_OWN.
/// Throws Error.
void read_kv_key(MapReader& reader, const levee_kv_key& key, levee_boot_info& info);

} // namespace levee::config
