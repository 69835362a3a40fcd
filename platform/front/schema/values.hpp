// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::schema {

using Json = nlohmann::ordered_json;

/// Schemas of values, generated from the declarations of their keys.
class Values {
public:
    /// Pairs of a key's path and the name of the definition in "$defs" that is its schema. With
    /// `parts`, a file name may replace the value of such a key.
    using References = std::vector<std::pair<std::string, std::string>>;

    /// `parts` means that a map may lack keys, extend another file's map, be the name of a file,
    /// and remove values with null.
    explicit Values(bool parts, References references = {})
        : references_(std::move(references)), parts_(parts)
    {
    }

    /// Returns the schema of a key's value, with a description for editors. `path` is the path of
    /// the map, as in `--set`.
    [[nodiscard]] Json described(const config::Key& key, const std::string& path) const;
    /// Returns the schema of a map with these keys. `path` is the map's own path.
    [[nodiscard]] Json map(std::span<const config::Key> keys, const std::string& path) const;
    /// Returns the schema of a value. If maps may be incomplete, it also permits null and, with
    /// `file`, the name of a file.
    [[nodiscard]] Json or_part(Json value, bool file) const;
    [[nodiscard]] bool parts() const { return parts_; }

private:
    [[nodiscard]] Json value(const config::Key& key, const std::string& path) const;
    [[nodiscard]] Json one_of(std::span<const config::Key> forms, const std::string& path) const;
    [[nodiscard]] Json row(const config::Key& key, const std::string& path) const;
    /// Returns the name of the definition for the value at this path; null if it has none.
    [[nodiscard]] const std::string* definition_of(const std::string& path) const;

    References references_;
    bool parts_;
};

[[nodiscard]] Json reference(const std::string& definition);

/// Returns a schema that permits `value` or null.
[[nodiscard]] Json or_null(Json value);

/// Returns a schema that requires a map's required keys, or a key that replaces them.
[[nodiscard]] Json required(std::span<const config::Key> keys);

} // namespace levee::schema
