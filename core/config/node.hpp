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

/// A YAML value that knows where it was written. Maps keep the order of the file.
struct Node {
    enum class Kind { Null, Scalar, List, Map };
    struct Entry;

    Kind kind = Kind::Null;
    Place place;
    std::string scalar;
    bool quoted = false; ///< written in quotes: always a string
    bool unsets = false; ///< a Null that is written as the word null, not as a missing value
    std::vector<Node> items;
    std::vector<Entry> entries;

    [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
    [[nodiscard]] bool is_list() const { return kind == Kind::List; }
    [[nodiscard]] bool is_scalar() const { return kind == Kind::Scalar; }
    [[nodiscard]] bool is_null() const { return kind == Kind::Null; }
    [[nodiscard]] std::string_view kind_name() const; ///< "a map", "a list", ...

    [[nodiscard]] const Node* find(std::string_view key) const;
    [[nodiscard]] Node* find(std::string_view key);
    [[nodiscard]] std::vector<std::string> keys() const;
};

struct Node::Entry {
    std::string key;
    Place place; ///< place of the key
    Node value;
};

/// Reads one YAML document. Refuses duplicate keys, keys that are not plain names, anchors,
/// aliases and tags. `shown` is the name errors give the file.
[[nodiscard]] Node parse_yaml(const std::string& text, const std::string& shown);

/// Reads a file; throws Error("...: no such file") at `referrer` if it cannot be read.
[[nodiscard]] Node load_yaml(const std::filesystem::path& path, const Place* referrer = nullptr);

/// A plain number of YAML 1.2's core schema, in the form that std::from_chars takes: `+4`, `4.` and
/// `0x10` as 4, 4 and 16, and zero without a sign. Any other text stays.
[[nodiscard]] std::string plain_number(std::string_view text);

/// A plain boolean of the core schema, in any of its spellings: `true`, `True`, `TRUE`.
[[nodiscard]] std::optional<bool> plain_boolean(const Node& node);

/// The tree as JSON: plain booleans and numbers keep their types; everything else becomes a string.
[[nodiscard]] nlohmann::ordered_json to_json(const Node& node);

} // namespace levee::config
