// SPDX-License-Identifier: Apache-2.0
// Keys of maps in YAML files, declared as data. Readers take types, bounds and defaults from it;
// `levee schema`, `levee describe` and the reference pages say the same.
#pragma once

#include "core/config/limits.hpp"
#include "core/config/quantity.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace levee::config {

/// A permitted word of a key, and its value, usually an enumerator.
struct Word {
    const char* text;
    std::int64_t value;
};

/// Condition under which a key without a default is required.
struct Needed {
    const char* with = nullptr; ///< Another key of the map, whose value decides; null: always
                                ///< required.
    std::span<const char* const> values{}; ///< values of that key, as in a file
    /// The key is required with all values except these; without values, if the other key is given.
    bool other_values = false;
    const char* in_place = nullptr; ///< a key that may be given in its place

    [[nodiscard]] constexpr bool is_stated() const
    {
        return with != nullptr || in_place != nullptr;
    }
    /// Whether the condition requires the key when `with` has this value.
    [[nodiscard]] constexpr bool holds(std::string_view value) const
    {
        bool is_one = false;
        for (const std::string_view one : values)
            is_one = is_one || one == value;
        return with == nullptr || is_one != other_values;
    }
};

/// A key of a map. The functions below make one of each kind.
struct Key {
    enum class Kind {
        Boolean,
        Quantity, ///< a number with the dimension's unit; a count has none
        Pages,    ///< a size in bytes, of whole pages of 4 KiB
        Real,     ///< a number without a unit
        Word,     ///< one of `words`
        Text,
        Texts, ///< a list; of `words`, if there are some
        List,  ///< a list of values, each as one of `keys`, whose names do not count
        Row,   ///< a list of one value for each of `keys`, in their order
        Map,   ///< A map with the keys `keys`.
        Maps,  ///< a list of maps with `keys`
        Named, ///< a map from names of the file's own to maps with `keys`
        Any    ///< Either a map of the form of `keys` with arbitrary names, or a special form.
    };

    const char* name; ///< "*": each name that the map's other keys do not have
    Kind kind;
    const char* meaning; ///< one sentence
    Dimension dimension = Dimension::Count;
    Limits limits{};
    double least = 0, most = 0; ///< bounds of a Real
    std::span<const Word> words{};
    std::span<const Key> keys{};
    const char* pattern = nullptr; ///< regular expression that Text and Texts match
    const char* form = nullptr;    ///< form of Any and List in words, "[age, probability] pairs"
    /// The default as a file would have it; null: see `otherwise_is`.
    const char* otherwise = nullptr;
    /// The default in words, if it is not a constant, or "none". Null: `otherwise` applies, or the
    /// key is required.
    const char* otherwise_is = nullptr;
    const char* source = nullptr; ///< paper and section, or standard; null: none
    bool never_empty = false;     ///< a list, a map or a text has something; the reader checks it
    bool no_empty_items = false;  ///< so have a list's texts
    bool stands_alone = false;    ///< If this key is given, the map's other required keys become
                                  ///< optional.
    Needed needed{};              ///< condition under which an optional key is required

    [[nodiscard]] constexpr bool is_required() const
    {
        return otherwise == nullptr && otherwise_is == nullptr;
    }
    /// The same with a default, as a file would have it.
    [[nodiscard]] constexpr Key or_else(const char* value) const
    {
        Key key = *this;
        key.otherwise = value;
        return key;
    }
    /// The same, with a default that is not a constant, described in words.
    [[nodiscard]] constexpr Key or_else_is(const char* words_for_it) const
    {
        Key key = *this;
        key.otherwise_is = words_for_it;
        return key;
    }
    /// Declares the key as optional; the reader asks whether it is given.
    [[nodiscard]] constexpr Key optional() const { return or_else_is("none"); }
    /// The same, of a list, a map or a text with at least one item, key or character.
    [[nodiscard]] constexpr Key filled() const
    {
        Key key = *this;
        key.never_empty = true;
        return key;
    }
    /// The same, of a list whose texts have at least one character each.
    [[nodiscard]] constexpr Key without_empty_items() const
    {
        Key key = *this;
        key.no_empty_items = true;
        return key;
    }
    /// Declares the key as optional except in this case.
    [[nodiscard]] constexpr Key needed_if(const Needed& its_case) const
    {
        Key key = optional();
        key.needed = its_case;
        return key;
    }
    /// Declares the key as a substitute for the map's required keys.
    [[nodiscard]] constexpr Key alone() const
    {
        Key key = optional();
        key.stands_alone = true;
        return key;
    }
    /// The same, of texts that match a regular expression of ECMA-262. The reader checks it itself.
    [[nodiscard]] constexpr Key matching(const char* expression) const
    {
        Key key = *this;
        key.pattern = expression;
        return key;
    }
    [[nodiscard]] constexpr Key from(const char* its_source) const
    {
        Key key = *this;
        key.source = its_source;
        return key;
    }
};

/// Bounds of a quantity: the key's own, or the default bounds of its dimension.
[[nodiscard]] constexpr Limits bounds_of(Limits limits, Dimension dimension)
{
    constexpr Limits none{};
    if (dimension == Dimension::Time && limits.most == none.most)
        limits.most = longest_delay_ps;
    if (dimension == Dimension::Bandwidth && limits.least <= 1)
        limits.least = slowest_bytes_per_second;
    if (dimension == Dimension::Frequency && limits.least <= 1)
        limits.least = slowest_clock_hz;
    return limits;
}

/// Name of a key that stands for all names that the map's other keys do not use.
inline constexpr std::string_view any_name = "*";

/// The key of this name, or the map's key of any name, or null.
[[nodiscard]] constexpr const Key* find_key(std::span<const Key> keys, std::string_view name)
{
    const Key* of_any_name = nullptr;
    for (const Key& key : keys)
        if (key.name == name)
            return &key;
        else if (key.name == any_name)
            of_any_name = &key;
    return of_any_name;
}

[[nodiscard]] constexpr Key flag(const char* name, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Boolean, .meaning = meaning};
}
[[nodiscard]] constexpr Key quantity(const char* name, Dimension dimension, const char* meaning,
                                     Limits limits = {})
{
    return {.name = name,
            .kind = Key::Kind::Quantity,
            .meaning = meaning,
            .dimension = dimension,
            .limits = limits};
}
[[nodiscard]] constexpr Key count(const char* name, const char* meaning, Limits limits = {})
{
    return quantity(name, Dimension::Count, meaning, limits);
}
/// A count that fits 32 bits.
[[nodiscard]] constexpr Key count32(const char* name, const char* meaning, Limits limits = {})
{
    constexpr std::uint64_t most = 0xFFFF'FFFF;
    return count(name, meaning, {limits.least, limits.most < most ? limits.most : most});
}
[[nodiscard]] constexpr Key pages(const char* name, const char* meaning, Limits limits)
{
    return {.name = name,
            .kind = Key::Kind::Pages,
            .meaning = meaning,
            .dimension = Dimension::Size,
            .limits = limits};
}
[[nodiscard]] constexpr Key real(const char* name, double least, double most, const char* meaning)
{
    return {
        .name = name, .kind = Key::Kind::Real, .meaning = meaning, .least = least, .most = most};
}
[[nodiscard]] constexpr Key word(const char* name, std::span<const Word> words, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Word, .meaning = meaning, .words = words};
}
[[nodiscard]] constexpr Key text(const char* name, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Text, .meaning = meaning};
}
[[nodiscard]] constexpr Key texts(const char* name, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Texts, .meaning = meaning};
}
/// A list of some of the words.
[[nodiscard]] constexpr Key word_list(const char* name, std::span<const Word> words,
                                      const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Texts, .meaning = meaning, .words = words};
}
[[nodiscard]] constexpr Key list(const char* name, std::span<const Key> forms, const char* form,
                                 const char* meaning)
{
    return {.name = name, .kind = Key::Kind::List, .meaning = meaning, .keys = forms, .form = form};
}
/// A row of a table with these columns.
[[nodiscard]] constexpr Key row(const char* name, std::span<const Key> columns, const char* form,
                                const char* meaning)
{
    return {
        .name = name, .kind = Key::Kind::Row, .meaning = meaning, .keys = columns, .form = form};
}
[[nodiscard]] constexpr Key map(const char* name, std::span<const Key> keys, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Map, .meaning = meaning, .keys = keys};
}
[[nodiscard]] constexpr Key maps(const char* name, std::span<const Key> keys, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Maps, .meaning = meaning, .keys = keys};
}
[[nodiscard]] constexpr Key named(const char* name, std::span<const Key> keys, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Named, .meaning = meaning, .keys = keys};
}
[[nodiscard]] constexpr Key any(const char* name, const char* form, const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Any, .meaning = meaning, .form = form};
}
/// A value that has one of several forms.
[[nodiscard]] constexpr Key one_of(const char* name, std::span<const Key> forms, const char* form,
                                   const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Any, .meaning = meaning, .keys = forms, .form = form};
}

} // namespace levee::config
