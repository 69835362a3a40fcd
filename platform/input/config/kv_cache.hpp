// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/config/node.hpp"

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

/// `kv_cache:`, what firmware is to keep of keys and values.
struct KvCacheConfig : levee_kv_policy {
    levee_kv_voting voting{};       ///< of LEVEE_KV_VOTING
    levee_kv_retrieval retrieval{}; ///< where proxies are searched
    levee_kv_cpq cpq{};             ///< of LEVEE_KV_CPQ
    levee_kv_codes codes{};         ///< bits 0: 16, which every machine has
    levee_kv_random random{};       ///< of LEVEE_KV_RANDOM
    double ratio = 0; ///< not 0: of a prompt's tokens, the budget that follows from it
    std::vector<std::string> unused; ///< keys that are given and that the policy has no use for
    Place place;                     ///< of the section
};

/// Whether no token leaves under a policy.
[[nodiscard]] constexpr bool keeps_all(std::uint32_t kind)
{
    return kind == LEVEE_KV_FULL || kind == LEVEE_KV_RETRIEVAL || kind == LEVEE_KV_CPQ;
}

/// Reads `kv_cache:`. Throws Error.
[[nodiscard]] KvCacheConfig read_kv_cache(const Node& node);

/// The budget that follows from `ratio`, for prompts of which so many tokens are prefilled. Throws
/// Error unless they are all of one length, and more tokens are kept than the policy protects.
[[nodiscard]] std::uint32_t budget_of(const KvCacheConfig& config,
                                      std::span<const std::uint32_t> prompt_lengths);

/// Without the section: everything is kept.
[[nodiscard]] KvCacheConfig full_kv_cache();

} // namespace levee::config
