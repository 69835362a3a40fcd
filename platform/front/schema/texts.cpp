// SPDX-License-Identifier: Apache-2.0
#include "platform/front/schema/texts.hpp"

#include <charconv>
#include <limits>

namespace levee::schema {

namespace {

using config::Dimension;
using config::Key;

// A limit that equals the type's own maximum does not help the reader, so the text omits
// it.
constexpr std::uint64_t most_word = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();

std::string shown(double number)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string joined(const std::string& first, const std::string& second)
{
    return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

/// Turns "a size such as '4 MiB'" into "size such as `4 MiB`".
std::string noun_of(Dimension dimension)
{
    std::string text(config::describe(dimension));
    text.erase(0, text.find(' ') + 1);
    for (char& c : text)
        c = c == '\'' ? '`' : c;
    return text;
}

std::string bounds_in_words(const Key& key)
{
    const config::Limits limits = config::bounds_of(key.limits, key.dimension);
    const bool is_count = key.dimension == Dimension::Count;
    const bool has_most = limits.most < (is_count ? most_word : most_bytes);
    const std::string least = config::format_quantity(limits.least, key.dimension);
    const std::string most = config::format_quantity(limits.most, key.dimension);
    if (limits.least == 0)
        return has_most ? "at most " + most : "";
    return has_most ? least + " to " + most : "at least " + least;
}

std::string words_in_text(const Key& key)
{
    std::string text;
    for (const config::Word& word : key.words)
        text += (text.empty() ? "`" : ", `") + std::string(word.text) + "`";
    return text;
}

std::string sentence(std::string text)
{
    if (text.empty())
        return text;
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return " " + text + ".";
}

std::string need_of(const Key& key)
{
    const config::Needed& needed = key.needed;
    std::string text = needed.in_place != nullptr
                           ? "this or `" + std::string(needed.in_place) + "` is required"
                           : "required";
    if (needed.with == nullptr)
        return text;
    text += " with `" + std::string(needed.with) + "`" +
            (needed.values.empty() ? ""
             : needed.other_values ? " other than "
                                   : " ");
    for (const char* const& value : needed.values)
        text += (&value == needed.values.data() ? "`" : ", `") + std::string(value) + "`";
    return text;
}

} // namespace

std::string path_in(const std::string& map, const Key& key)
{
    const std::string name = key.name == config::any_name ? some_name : key.name;
    return map.empty() ? name : map + "." + name;
}

std::string type_of(const Key& key)
{
    switch (key.kind) {
    case Key::Kind::Boolean:
        return "`true` or `false`";
    case Key::Kind::Quantity:
        return noun_of(key.dimension);
    case Key::Kind::Pages:
        return noun_of(key.dimension) + ", whole pages of 4 KiB";
    case Key::Kind::Real:
        return "number";
    case Key::Kind::Word:
        return "word";
    case Key::Kind::Text:
        return "text";
    case Key::Kind::Texts:
        return key.words.empty() ? "list of texts" : "list of words";
    case Key::Kind::Map:
        return "map";
    case Key::Kind::Maps:
        return "list of maps";
    case Key::Kind::Named:
        return "map of names to maps";
    case Key::Kind::List:
    case Key::Kind::Row:
    case Key::Kind::Any:
        return key.form;
    }
    return "";
}

std::string range_of(const Key& key)
{
    const bool has_unit = key.kind == Key::Kind::Quantity || key.kind == Key::Kind::Pages;
    if (has_unit)
        return bounds_in_words(key);
    if (key.kind == Key::Kind::Real)
        return shown(key.least) + " to " + shown(key.most);
    return words_in_text(key);
}

std::string default_of_key(const Key& key)
{
    if (key.needed.is_stated())
        return "none; " + need_of(key);
    if (key.stands_alone)
        return "in place of the required keys";
    if (key.otherwise != nullptr)
        return "`" + std::string(key.otherwise) + "`";
    return key.otherwise_is != nullptr ? key.otherwise_is : "required";
}

std::string description_of(const Key& key)
{
    std::string text = key.meaning;
    if (key.kind == Key::Kind::Quantity || key.kind == Key::Kind::Pages)
        text += sentence(joined(type_of(key), range_of(key)));
    if (key.form != nullptr)
        text += sentence(key.form);
    if (key.needed.is_stated())
        text += sentence(need_of(key));
    if (key.otherwise == nullptr && !key.is_required() && std::string(key.otherwise_is) != "none")
        text += " Default: " + std::string(key.otherwise_is) + ".";
    if (key.source != nullptr)
        text += " Source: " + std::string(key.source) + ".";
    return text;
}

} // namespace levee::schema
