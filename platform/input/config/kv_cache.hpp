// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/boot_info.h"
#include "platform/input/config/node.hpp"

namespace levee::config {

/// Reads `kv_cache:`, the cache policy passed to firmware. Throws Error.
[[nodiscard]] levee_kv_policy read_kv_cache(const Node& node);

/// Without the section: everything is kept.
[[nodiscard]] levee_kv_policy full_kv_cache();

} // namespace levee::config
