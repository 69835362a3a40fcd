// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/character_map.hpp"

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/text_steps.hpp"

#include <algorithm>
#include <utf8proc.h>

namespace levee {

namespace {

constexpr std::string_view no_character = "\xEF\xBF\xBD"; // U+FFFD
constexpr std::size_t short_grapheme = 6;

std::uint32_t word_at(std::string_view bytes, std::size_t at)
{
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i)
        word |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << 8 * i;
    return word;
}

// Returns whether this unit of darts-clone's double array has a leaf.
bool has_leaf(std::uint32_t unit)
{
    return (unit >> 8 & 1U) != 0;
}
std::uint32_t label(std::uint32_t unit)
{
    return unit & 0x800000FFU;
}
std::uint32_t offset(std::uint32_t unit)
{
    return unit >> 10 << ((unit & 1U << 9) >> 6);
}
std::uint32_t value(std::uint32_t unit)
{
    return unit & 0x7FFFFFFFU;
}

/// Returns the first character of a text, or its first byte if that begins no character.
std::string_view first_character(std::string_view text)
{
    return text.substr(0, std::max<std::size_t>(character_at(text), 1));
}

utf8proc_int32_t code_of(std::string_view character)
{
    utf8proc_int32_t code = 0;
    (void)utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                           static_cast<utf8proc_ssize_t>(character.size()), &code);
    return code;
}

/// Returns the first grapheme of a text, or its first byte if that begins no character.
std::string_view first_grapheme(std::string_view text)
{
    std::size_t end = first_character(text).size();
    utf8proc_int32_t state = 0, before = code_of(text.substr(0, end));
    while (end < text.size() && character_at(text) != 0 && character_at(text.substr(end)) != 0) {
        const std::string_view next = first_character(text.substr(end));
        if (utf8proc_grapheme_break_stateful(before, code_of(next), &state) != 0)
            break;
        before = code_of(next);
        end += next.size();
    }
    return text.substr(0, end);
}

} // namespace

CharacterMap::CharacterMap(std::string_view bytes, const std::string& place) : place_(place)
{
    const std::size_t array = bytes.size() < 4 ? 0 : word_at(bytes, 0);
    if (array == 0 || array % 4 != 0 || array > bytes.size() - 4)
        throw ModelError(place + ": a map of characters of " + std::to_string(bytes.size()) +
                         " bytes, expected one that begins with the size of its array");
    for (std::size_t at = 4; at < 4 + array; at += 4)
        units_.push_back(word_at(bytes, at));
    texts_ = bytes.substr(4 + array);
}

std::optional<CharacterMap::Match> CharacterMap::find(std::string_view text, Which which,
                                                      TextWork& work) const
{
    std::optional<Match> found;
    std::size_t node = offset(units_[0]);
    for (std::size_t at = 0; at < text.size() && text[at] != 0; ++at) {
        const auto byte = static_cast<std::uint8_t>(text[at]);
        node ^= byte;
        if (!work.take_steps(1))
            throw ModelError(place_ + ": the map takes too many steps over the text; expected one "
                                      "of shorter keys");
        if (node >= units_.size() || label(units_[node]) != byte)
            return found;
        const std::uint32_t unit = units_[node];
        node ^= offset(unit);
        if (has_leaf(unit) && node < units_.size() && value(units_[node]) < texts_.size())
            found = {at + 1, value(units_[node])};
        if (found && which == Which::shortest)
            return found;
    }
    return found;
}

std::string_view CharacterMap::text_of(const Match& match) const
{
    const std::string_view text = std::string_view(texts_).substr(match.text);
    return text.substr(0, text.find('\0'));
}

void CharacterMap::map_longest(std::string_view text, TextWork& work, const Use& use) const
{
    while (!text.empty()) {
        const std::optional<Match> match = find(text, Which::longest, work);
        const std::string_view own = first_character(text);
        use(match ? text_of(*match) : character_at(text) == 0 ? no_character : own);
        text.remove_prefix(match ? match->bytes : own.size());
    }
}

/// If the text begins with a key, passes the key's text instead of the whole text to `use`. Returns
/// false if it does not.
bool CharacterMap::use_key(std::string_view text, TextWork& work, const Use& use) const
{
    const std::optional<Match> match = find(text, Which::shortest, work);
    if (match)
        use(text_of(*match));
    return match.has_value();
}

void CharacterMap::map_grapheme(std::string_view grapheme, TextWork& work, const Use& use) const
{
    if (grapheme.size() < short_grapheme && use_key(grapheme, work, use))
        return;
    while (!grapheme.empty()) {
        const std::string_view character = first_character(grapheme);
        if (!use_key(character, work, use))
            use(character);
        grapheme.remove_prefix(character.size());
    }
}

void CharacterMap::map_graphemes(std::string_view text, TextWork& work, const Use& use) const
{
    while (!text.empty()) {
        const std::string_view grapheme = first_grapheme(text);
        map_grapheme(grapheme, work, use);
        text.remove_prefix(grapheme.size());
    }
}

} // namespace levee
