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

/// Reads the keys of one map with their types. finish() refuses keys that the caller has not
/// read, and reports missing required keys. Before finish(), a missing key reads as zero or
/// empty.
class MapReader {
public:
    /// `path` is the map's name in messages, as in `--set`: "system.blocks.rsa"; empty for the
    /// root.
    MapReader(const Node& node, std::string path);
    /// Creates a reader for declared keys, which must outlive it. Bounds and defaults come from the
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
    /// Reads a size in bytes that is a whole number of 4 KiB pages.
    std::uint64_t pages(const std::string& key, Limits limits = {});
    std::uint64_t count(const std::string& key, Limits limits = {},
                        std::optional<std::uint64_t> otherwise = {});
    /// Like count(), for a 32-bit field: `limits.most` is limited accordingly.
    std::uint32_t count32(const std::string& key, Limits limits = {},
                          std::optional<std::uint32_t> otherwise = {});
    std::vector<std::string> strings(const std::string& key,
                                     std::optional<std::vector<std::string>> otherwise = {});

    // The following functions require declared keys.
    double real(const std::string& key);
    std::uint64_t quantity(const std::string& key);
    /// Like quantity(), for a default that is not a constant (Key::otherwise_is).
    std::uint64_t quantity(const std::string& key, std::uint64_t otherwise);
    /// Like quantity(), for a 32-bit field.
    std::uint32_t quantity32(const std::string& key);
    /// Returns the value of the key's word.
    template <typename Value> Value word(const std::string& key)
    {
        return static_cast<Value>(word_value(key));
    }
    /// Returns the values of a list of words, in order; empty if the key is not given.
    std::vector<std::int64_t> words(const std::string& key);
    /// Returns a reader for a key that may have several forms. The reader treats the key as if its
    /// only form were `form`, which must outlive the reader.
    [[nodiscard]] MapReader as(const Key& form) const;
    /// Returns a reader of the key's map; nothing if the key is not given.
    std::optional<MapReader> map(const std::string& key);
    /// Returns a reader of the key's map. If the key is not given, all keys of the map have their
    /// defaults.
    MapReader map_or_defaults(const std::string& key);
    /// Returns readers of the maps in a list; empty if the key is not given.
    std::vector<MapReader> maps(const std::string& key);
    /// Calls `visit` for each row of a non-empty list (Key::Kind::Row), with a reader of its
    /// columns.
    void rows(const std::string& key, const std::function<void(MapReader&)>& visit);
    /// Declared keys in the order in which they were read, with their values (or defaults) as in a
    /// file. Values of special forms are omitted.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& shown() const
    {
        return shown_;
    }

    /// Reads one of several words and returns its value.
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

    /// Returns the value as written, or null if the key is not given. If the key is `required`,
    /// finish() then reports an error.
    const Node* raw(const std::string& key, bool required);

    /// Returns an error at the key's value, or at the map if the key is not given.
    [[nodiscard]] Error error(const std::string& key, const std::string& message) const;

private:
    void know(const std::string& key);
    /// Returns the value of the key as in a file; if not given, its default; if it has no default,
    /// nothing.
    [[nodiscard]] std::optional<std::string> text_of(const std::string& key) const;
    [[nodiscard]] bool is_lacking(const Key& key) const;
    const Node* value_of(const std::string& key, bool required);
    const Node* scalar_of(const std::string& key, bool required, std::string_view expected);
    std::optional<std::size_t> word_index(const std::string& key,
                                          const std::vector<std::string>& names, bool optional);
    [[nodiscard]] std::string full(const std::string& key) const;
    /// Returns the declaration of a key, or null if keys are not declared.
    [[nodiscard]] const Key* declared(const std::string& key) const;
    const Key& declared_as(const std::string& key, Key::Kind kind) const;
    void show(const Key* key, const std::string& value);
    std::int64_t word_value(const std::string& key);

    const Node* node_;
    std::span<const Key> keys_; ///< Empty: keys are not declared.
    std::string path_;
    std::vector<std::string> known_;
    std::vector<std::string> missing_;
    std::vector<std::pair<std::string, std::string>> shown_;
};

/// Returns the index in `names` of the word in `node`. If the word is none of them, throws an Error
/// at `node` with the most similar name.
[[nodiscard]] std::size_t find_word(const Node& node, const std::string& path,
                                    const std::vector<std::string>& names);

} // namespace levee::config
