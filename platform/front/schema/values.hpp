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

/// Schemas of values by their keys' declarations.
class Values {
public:
    /// Values that have their own schema in "$defs", as pairs of a key's path and the definition. A
    /// file may hold each of them.
    using References = std::vector<std::pair<std::string, std::string>>;

    /// `parts`: a map may lack keys, extend another file's map, be the name of a file, and remove
    /// values with null.
    explicit Values(bool parts, References references = {})
        : references_(std::move(references)), parts_(parts)
    {
    }

    /// Schema of a key's value with its description, for editors. `path` is the map's, as in
    /// `--set`.
    [[nodiscard]] Json described(const config::Key& key, const std::string& path) const;
    /// Schema of a map with these keys. `path` is the map's own.
    [[nodiscard]] Json map(std::span<const config::Key> keys, const std::string& path) const;
    /// Schema of a value, or of its substitutes in a file; with `file`, also a file's name.
    [[nodiscard]] Json or_part(Json value, bool file) const;
    [[nodiscard]] bool parts() const { return parts_; }

private:
    [[nodiscard]] Json value(const config::Key& key, const std::string& path) const;
    [[nodiscard]] Json one_of(std::span<const config::Key> forms, const std::string& path) const;
    [[nodiscard]] Json row(const config::Key& key, const std::string& path) const;
    /// The definition of the value at this path, or null.
    [[nodiscard]] const std::string* definition_of(const std::string& path) const;

    References references_;
    bool parts_;
};

/// The schema of a definition.
[[nodiscard]] Json reference(const std::string& definition);

/// A schema that permits `value` or null.
[[nodiscard]] Json or_null(Json value);

/// Required keys of a map, or a key that replaces them.
[[nodiscard]] Json required(std::span<const config::Key> keys);

} // namespace levee::schema
