// SPDX-License-Identifier: Apache-2.0
// Keys of maps in YAML files, declared as data. Readers take types, bounds and defaults from these
// declarations. `levee schema`, `levee describe` and the reference pages are generated from the
// same data.
#pragma once

#include "core/config/limits.hpp"
#include "core/config/quantity.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace levee::config {

/// A permitted word for a key, and its value, which is usually an enumerator.
struct Word {
    const char* text;
    std::int64_t value;
};

/// Condition under which a key without a default is required.
struct Needed {
    const char* with = nullptr; ///< Another key of the map whose value decides; null: always
                                ///< required.
    std::span<const char* const> values{}; ///< Values of that key, as in a file.
    /// True: the key is required for all values of `with` except `values`; if there are no
    /// `values`, whenever `with` is given.
    bool other_values = false;
    const char* in_place = nullptr; ///< A key that may be given instead.

    [[nodiscard]] constexpr bool is_stated() const
    {
        return with != nullptr || in_place != nullptr;
    }
    /// Whether the key is required if `with` has this value.
    [[nodiscard]] constexpr bool holds(std::string_view value) const
    {
        bool is_one = false;
        for (const std::string_view one : values)
            is_one = is_one || one == value;
        return with == nullptr || is_one != other_values;
    }
};

/// A key of a map. The functions below create keys of each kind.
struct Key {
    enum class Kind {
        Boolean,
        Quantity, ///< A number with a unit of the dimension; a count has no unit.
        Pages,    ///< A size in bytes that is a whole number of 4 KiB pages.
        Real,     ///< A number without a unit.
        Word,     ///< One of `words`.
        Text,
        Texts, ///< A list of texts. If `words` is given, each text is one of the words.
        List,  ///< A list of values. Each must match one of `keys`; the names of those keys are not
               ///< used.
        Row,   ///< A list with one value for each of `keys`, in order.
        Map,   ///< A map with the keys `keys`.
        Maps,  ///< A list of maps with `keys`.
        Named, ///< A map from arbitrary names to maps with `keys`.
        Any    ///< A map with arbitrary names, or another special form.
    };

    const char* name; ///< "*": any name that is not another key of the map.
    Kind kind;
    const char* meaning; ///< one sentence
    Dimension dimension = Dimension::Count;
    Limits limits{};
    double least = 0, most = 0; ///< Bounds of a Real.
    std::span<const Word> words{};
    std::span<const Key> keys{};
    const char* pattern = nullptr; ///< Regular expression that Text and Texts must match.
    const char* form = nullptr;    ///< Describes the form of Any and List, such as "[age,
                                   ///< probability] pairs".
    /// The default as in a file; null: see `otherwise_is`.
    const char* otherwise = nullptr;
    /// Describes a default that is not a constant, or is "none". Null: `otherwise` applies, or the
    /// key is required.
    const char* otherwise_is = nullptr;
    const char* source = nullptr; ///< Paper and section, or standard; null: none.
    bool never_empty = false;     ///< The list, map or text must not be empty. The reader checks
                                  ///< this.
    bool no_empty_items = false;  ///< The texts of a list must not be empty.
    bool stands_alone = false;    ///< If this key is given, the map's other required keys become
                                  ///< optional.
    Needed needed{};              ///< Condition under which an optional key is required.

    [[nodiscard]] constexpr bool is_required() const
    {
        return otherwise == nullptr && otherwise_is == nullptr;
    }
    /// A copy of the key with a default, written as in a file.
    [[nodiscard]] constexpr Key or_else(const char* value) const
    {
        Key key = *this;
        key.otherwise = value;
        return key;
    }
    /// A copy of the key whose default is not a constant; `words_for_it` describes the default.
    [[nodiscard]] constexpr Key or_else_is(const char* words_for_it) const
    {
        Key key = *this;
        key.otherwise_is = words_for_it;
        return key;
    }
    /// A copy of the key that is optional. The reader checks whether it is given.
    [[nodiscard]] constexpr Key optional() const { return or_else_is("none"); }
    /// A copy of the key for a list, map or text that must not be empty.
    [[nodiscard]] constexpr Key filled() const
    {
        Key key = *this;
        key.never_empty = true;
        return key;
    }
    /// A copy of the key for a list whose texts must not be empty.
    [[nodiscard]] constexpr Key without_empty_items() const
    {
        Key key = *this;
        key.no_empty_items = true;
        return key;
    }
    /// A copy of the key that is optional except under this condition.
    [[nodiscard]] constexpr Key needed_if(const Needed& its_case) const
    {
        Key key = optional();
        key.needed = its_case;
        return key;
    }
    /// A copy of the key that, if given, makes the map's other required keys optional.
    [[nodiscard]] constexpr Key alone() const
    {
        Key key = optional();
        key.stands_alone = true;
        return key;
    }
    /// A copy of the key for texts that match a regular expression of ECMA-262. The key's user
    /// checks this; MapReader does not.
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

/// Returns the bounds of a quantity: those of the key, or the default bounds of its dimension.
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

/// Name of a key that represents all names that are not other keys of the map.
inline constexpr std::string_view any_name = "*";

/// Returns the key with this name; otherwise the map's key for any name ("*"); otherwise null.
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
/// Declares a key whose value is a count that fits in 32 bits.
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
/// Declares a key whose value is a list of some of the words.
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
/// Declares a key whose value is a row of a table with these columns.
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
/// Declares a key whose value may have one of several forms.
[[nodiscard]] constexpr Key one_of(const char* name, std::span<const Key> forms, const char* form,
                                   const char* meaning)
{
    return {.name = name, .kind = Key::Kind::Any, .meaning = meaning, .keys = forms, .form = form};
}

} // namespace levee::config
