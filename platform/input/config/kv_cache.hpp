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

/// Returns the table's row for a policy. The number must be valid.
[[nodiscard]] const levee_kv_rule& kv_rule(std::uint32_t kind);

/// Returns the number of the policy with this name; nothing if there is none.
[[nodiscard]] std::optional<std::uint32_t> kv_policy_named(const std::string& name);

/// Returns whether a policy uses a key.
[[nodiscard]] bool kv_uses(std::uint32_t kind, levee_kv_key_number key);

/// Returns the scenario's word for a value of a key whose values are words.
[[nodiscard]] const char* kv_word(levee_kv_key_number key, std::uint32_t value);

/// `kv_cache:`, the firmware's policy for keys and values.
struct KvCacheConfig {
    levee_boot_info boot{};          ///< fields set by keys of `kv_cache:`; others are 0
    std::vector<std::uint32_t> with; ///< numbers of the policies listed in `with`
    /// If not 0, the share of a prompt's tokens that is kept, which determines the budget.
    double ratio = 0;
    std::vector<std::string> unused; ///< keys that were given but that the policy does not use
    Place place;
};

/// Returns whether a policy never evicts tokens.
[[nodiscard]] bool keeps_all(std::uint32_t kind);

/// Reads `kv_cache:`. Throws Error.
[[nodiscard]] KvCacheConfig read_kv_cache(const Node& node);

/// Returns the budget that follows from `ratio` and from the number of prefilled tokens of the
/// prompts. Throws Error if prompts have different lengths, or if the budget is not larger than the
/// number of protected tokens.
[[nodiscard]] std::uint32_t budget_of(const KvCacheConfig& config,
                                      std::span<const std::uint32_t> prompt_lengths);

/// Returns the configuration that applies without the section: all tokens are kept.
[[nodiscard]] KvCacheConfig full_kv_cache();

} // namespace levee::config
