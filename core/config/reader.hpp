// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"
#include "core/config/limits.hpp"
#include "core/config/node.hpp"
#include "core/config/quantity.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::config {

/// Reads the keys of one map with their types. A key becomes valid when it is asked for; finish()
/// refuses all others, and reports missing required keys. Until then a missing key reads as zero or
/// empty.
class MapReader {
public:
    /// `path` is the map's name in messages, as in `--set`: "system.blocks.rsa"; empty for the
    /// root.
    MapReader(const Node& node, std::string path);
    /// Makes a reader for declared keys, which must outlive it: bounds and defaults come from the
    /// declarations. Asking for another key, or with other bounds, throws std::logic_error.
    MapReader(const Node& node, std::string path, std::span<const Key> keys);

    void finish() const;

    [[nodiscard]] bool is_declared() const { return !keys_.empty(); }
    [[nodiscard]] bool has(const std::string& key);
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const Node& node() const { return *node_; }

    std::string string(const std::string& key, std::optional<std::string> otherwise = {});
    bool boolean(const std::string& key, std::optional<bool> otherwise = {});
    double real(const std::string& key, double least, double most,
                std::optional<double> otherwise = {});
    std::uint64_t quantity(const std::string& key, Dimension dimension, Limits limits = {},
                           std::optional<std::uint64_t> otherwise = {});
    /// A size in bytes, of whole pages of 4 KiB.
    std::uint64_t pages(const std::string& key, Limits limits = {});
    std::uint64_t count(const std::string& key, Limits limits = {},
                        std::optional<std::uint64_t> otherwise = {});
    /// Like count, for a 32-bit field: `limits.most` is capped accordingly.
    std::uint32_t count32(const std::string& key, Limits limits = {},
                          std::optional<std::uint32_t> otherwise = {});
    std::vector<std::string> strings(const std::string& key,
                                     std::optional<std::vector<std::string>> otherwise = {});

    // The following functions are for declared keys only:
    double real(const std::string& key);
    std::uint64_t quantity(const std::string& key);
    /// Like quantity, for a default that is not a constant (Key::otherwise_is).
    std::uint64_t quantity(const std::string& key, std::uint64_t otherwise);
    /// Like quantity, for a 32-bit field.
    std::uint32_t quantity32(const std::string& key);
    /// The value of the word that the key has.
    template <typename Value> Value word(const std::string& key)
    {
        return static_cast<Value>(word_value(key));
    }
    /// The values of a list of words, in its order, or none.
    std::vector<std::int64_t> words(const std::string& key);
    /// A reader that treats this key as having the form `form`, for a key with several forms;
    /// `form` must outlive it.
    [[nodiscard]] MapReader as(const Key& form) const;
    /// Map under a key, or nothing.
    std::optional<MapReader> map(const std::string& key);
    /// Map under a key; if it is not given, an empty map whose keys have their defaults.
    MapReader map_or_defaults(const std::string& key);
    /// The maps of a list, or none.
    std::vector<MapReader> maps(const std::string& key);
    /// Calls `visit` for each row of a list (Key::Kind::Row) that is not empty, with a reader of
    /// its columns.
    void rows(const std::string& key, const std::function<void(MapReader&)>& visit);
    /// Declared keys that have been read, in this order, with their values as in a file, including
    /// defaults. Values of special forms are left out.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& shown() const
    {
        return shown_;
    }

    /// One word of a set; returns its value.
    template <typename Value>
    Value choice(const std::string& key, const std::vector<std::pair<std::string, Value>>& words,
                 std::optional<Value> otherwise = {})
    {
        std::vector<std::string> names;
        for (const auto& word : words)
            names.push_back(word.first);
        const std::optional<std::size_t> index = word_index(key, names, otherwise.has_value());
        return index ? words[*index].second : otherwise.value_or(Value{});
    }

    /// The value as written, or null if it is not given (an error in finish() when `required`).
    const Node* raw(const std::string& key, bool required);

    /// An error at the key's value (or at the map, if the key is not given).
    [[nodiscard]] Error error(const std::string& key, const std::string& message) const;

private:
    void know(const std::string& key);
    /// Value as in a file, or the default, or nothing.
    [[nodiscard]] std::optional<std::string> text_of(const std::string& key) const;
    [[nodiscard]] bool is_lacking(const Key& key) const;
    const Node* value_of(const std::string& key, bool required);
    const Node* scalar_of(const std::string& key, bool required, std::string_view expected);
    std::optional<std::size_t> word_index(const std::string& key,
                                          const std::vector<std::string>& names, bool optional);
    [[nodiscard]] std::string full(const std::string& key) const;
    /// The declaration of a key, or null if none are declared.
    [[nodiscard]] const Key* declared(const std::string& key) const;
    const Key& declared_as(const std::string& key, Key::Kind kind) const;
    void show(const Key* key, const std::string& value);
    std::int64_t word_value(const std::string& key);

    const Node* node_;
    std::span<const Key> keys_; ///< empty: not declared
    std::string path_;
    std::vector<std::string> known_;
    std::vector<std::string> missing_;
    std::vector<std::pair<std::string, std::string>> shown_;
};

/// The index of `word` among `names`, or an Error at `node` that names the nearest.
[[nodiscard]] std::size_t find_word(const Node& node, const std::string& path,
                                    const std::vector<std::string>& names);

} // namespace levee::config
