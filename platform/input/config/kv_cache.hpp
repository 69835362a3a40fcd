// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/boot_info.h"
#include "platform/input/config/node.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace levee::config {

/// A policy as scenarios and recordings name it.
struct KvPolicyName {
    std::string name;
    std::uint32_t kind; ///< enum levee_kv_policy_kind
};
[[nodiscard]] std::span<const KvPolicyName> kv_policies();

/// The policy of this kind; it is one of kv_policies().
[[nodiscard]] const std::string& kv_policy_name(std::uint32_t kind);

/// Which of its budget of tokens a policy protects, whatever `sinks` and `recent_window` say.
struct KvProtection {
    std::uint32_t sinks, window;
};
[[nodiscard]] KvProtection kv_protection(const levee_kv_policy& policy);

/// Reads `kv_cache:`, the cache policy passed to firmware. Throws Error.
[[nodiscard]] levee_kv_policy read_kv_cache(const Node& node);

/// Without the section: everything is kept.
[[nodiscard]] levee_kv_policy full_kv_cache();

} // namespace levee::config
