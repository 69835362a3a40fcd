// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace levee::config {

/// A YAML value with the place where it was written. Maps keep the order of the file.
struct Node {
    enum class Kind { Null, Scalar, List, Map };
    struct Entry;

    Kind kind = Kind::Null;
    Place place;
    std::string scalar;
    bool quoted = false; ///< Written in quotes, so always a string.
    bool unsets = false; ///< A Null that is written as the word null, not a missing value.
    std::vector<Node> items;
    std::vector<Entry> entries;

    [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
    [[nodiscard]] bool is_list() const { return kind == Kind::List; }
    [[nodiscard]] bool is_scalar() const { return kind == Kind::Scalar; }
    [[nodiscard]] bool is_null() const { return kind == Kind::Null; }
    [[nodiscard]] std::string_view kind_name() const; ///< For example "a map" or "a list".

    [[nodiscard]] const Node* find(std::string_view key) const;
    [[nodiscard]] Node* find(std::string_view key);
    [[nodiscard]] std::vector<std::string> keys() const;
};

struct Node::Entry {
    std::string key;
    Place place; ///< Place of the key.
    Node value;
};

/// Reads one YAML document. Refuses duplicate keys, keys that are not plain names, anchors, aliases
/// and tags. `shown` is the file's name in errors.
[[nodiscard]] Node parse_yaml(const std::string& text, const std::string& shown);

/// Reads a file. If it cannot be read, throws Error("...: no such file") at `referrer`.
[[nodiscard]] Node load_yaml(const std::filesystem::path& path, const Place* referrer = nullptr);

/// Converts a plain number of YAML 1.2's core schema to a form that std::from_chars accepts: `+4`,
/// `4.` and `0x10` become 4, 4 and 16, and zero loses its sign. Other text does not change.
[[nodiscard]] std::string plain_number(std::string_view text);

/// Value of a plain boolean of the core schema, such as `true`, `True` or `TRUE`. Empty for other
/// nodes.
[[nodiscard]] std::optional<bool> plain_boolean(const Node& node);

/// The tree as JSON. Plain booleans and numbers keep their types; everything else becomes a string.
[[nodiscard]] nlohmann::ordered_json to_json(const Node& node);

} // namespace levee::config
