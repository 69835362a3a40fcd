// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "firmware/policies/keys.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee::config {

/// All keys of `kv_cache:`, from this table and from those of the policies. The span stays valid.
[[nodiscard]] std::span<const Key> kv_cache_keys();

/// Reads one of these keys into its field of `info`. Not for keys of the type LEVEE_KV_TYPE_OWN.
/// Throws Error.
void read_kv_key(MapReader& reader, const levee_kv_key& key, levee_boot_info& info);

/// A key's value as a text, which tells it from any other value.
struct KvValue {
    std::string name; ///< Name with its section, as in `kv_cache.refresh.high_msb`.
    std::string text;
    bool operator==(const KvValue&) const = default;
};

/// Values of all keys that affect decisions, in the order of their table: the same keys for every
/// `boot`.
[[nodiscard]] std::vector<KvValue> kv_values(const levee_boot_info& boot);
/// The fields that these values fill, those of sections excepted: `text_of` gives the text of each
/// by its name, or null for its default.
[[nodiscard]] levee_boot_info
kv_of_texts(const std::function<const std::string*(const std::string&)>& text_of);
/// The fields of boot information that keys fill, with all keys at their defaults.
[[nodiscard]] levee_boot_info kv_defaults();
/// Whether a key that affects decisions has a value other than its default.
[[nodiscard]] bool is_kv_given(const levee_kv_key& key, const levee_boot_info& boot);

} // namespace levee::config
