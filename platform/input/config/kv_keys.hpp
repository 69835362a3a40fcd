// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "firmware/policies/keys.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee::config {

/// Returns all keys of `kv_cache:`: those of the C table, `policy`, and `with`. The span stays
/// valid.
[[nodiscard]] std::span<const Key> kv_cache_keys();

/// Reads one of these keys into its field of `info`. The key must not have the type
/// LEVEE_KV_TYPE_OWN. Throws Error.
void read_kv_key(MapReader& reader, const levee_kv_key& key, levee_boot_info& info);

/// A key's value as a text. Different values have different texts.
struct KvValue {
    std::string name; ///< name with its section, such as `kv_cache.refresh.high_msb`
    std::string text;
    bool operator==(const KvValue&) const = default;
};

/// Returns the values of all keys that affect decisions, in the table's order. For every `boot`,
/// the list has the same keys.
[[nodiscard]] std::vector<KvValue> kv_values(const levee_boot_info& boot);
/// Returns boot information with these values, but without the fields that sections set. `text_of`
/// returns the text of a value by the value's name, or null for the default.
[[nodiscard]] levee_boot_info
kv_of_texts(const std::function<const std::string*(const std::string&)>& text_of);
/// Returns boot information in which each field of a `kv_cache` key has the key's default.
[[nodiscard]] levee_boot_info kv_defaults();
/// Returns whether a key that affects decisions has a value other than its default.
[[nodiscard]] bool is_kv_given(const levee_kv_key& key, const levee_boot_info& boot);

} // namespace levee::config
