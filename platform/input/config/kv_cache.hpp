// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/config/node.hpp"
#include "firmware/policies/policies.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace levee::config {

/// The policy's row in the table; the number must be valid.
[[nodiscard]] const levee_kv_rule& kv_rule(std::uint32_t kind);

/// Number of the policy with this name; nothing if it does not exist.
[[nodiscard]] std::optional<std::uint32_t> kv_policy_named(const std::string& name);

/// Whether a policy uses a key.
[[nodiscard]] bool kv_uses(std::uint32_t kind, levee_kv_key_number key);

/// The word that scenarios have for this value of a key with words.
[[nodiscard]] const char* kv_word(levee_kv_key_number key, std::uint32_t value);

/// `kv_cache:`, the firmware's policy for keys and values.
struct KvCacheConfig {
    levee_boot_info boot{};          ///< the fields that the keys fill; all others are 0
    std::vector<std::uint32_t> with; ///< kinds of the further policies
    /// Nonzero: share of a prompt's tokens that is kept; it determines the budget.
    double ratio = 0;
    std::vector<std::string> unused; ///< Given keys that the policy does not use.
    Place place;                     ///< place of the section
};

/// Whether a policy never evicts tokens.
[[nodiscard]] bool keeps_all(std::uint32_t kind);

/// Reads `kv_cache:`. Throws Error.
[[nodiscard]] KvCacheConfig read_kv_cache(const Node& node);

/// The budget that follows from `ratio`, for prompts with this number of prefilled tokens. Throws
/// Error unless all have the same length, and more tokens are kept than the policy protects.
[[nodiscard]] std::uint32_t budget_of(const KvCacheConfig& config,
                                      std::span<const std::uint32_t> prompt_lengths);

/// Without the section: everything is kept.
[[nodiscard]] KvCacheConfig full_kv_cache();

} // namespace levee::config
