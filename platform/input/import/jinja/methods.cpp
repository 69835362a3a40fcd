// SPDX-License-Identifier: Apache-2.0
// Python's methods of texts, lists and maps.
#include "platform/input/import/jinja/builtins.hpp"
#include "platform/input/model/chat_text.hpp"
#include "platform/input/model/text_steps.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

namespace levee::jinja {

namespace {

bool has_word(std::string_view words, std::string_view word)
{
    return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") !=
           std::string::npos;
}

// All methods of Python's str. With this list, a method that Levee lacks is reported as
// unsupported, and not as undefined.
constexpr std::string_view text_methods =
    "capitalize casefold center count encode endswith expandtabs find format format_map index "
    "isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace "
    "istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace "
    "rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title "
    "translate upper zfill";
constexpr std::string_view changing_methods =
    "append extend insert pop remove clear sort reverse update setdefault popitem";
constexpr std::string_view list_methods =
    "append extend insert pop remove clear sort reverse copy count index";
constexpr std::string_view tuple_methods = "count index";
constexpr std::string_view number_members =
    "as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag "
    "is_integer numerator real to_bytes";
constexpr std::string_view map_methods =
    "get items keys values copy fromkeys pop update clear setdefault popitem";

std::string changed(std::string text, bool upper)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x80)
            c = static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
        else
            throw Unable("changes of case support only ASCII");
    return text;
}

std::string titled(const std::string& text)
{
    std::string result = lowered(text);
    bool begins = true;
    for (char& c : result) {
        if (begins)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        begins = std::isalpha(static_cast<unsigned char>(c)) == 0;
    }
    return result;
}

/// Returns the maximum number of splits or replacements; negative: no maximum.
std::int64_t count_of(const Value& count)
{
    return is_absent(count) ? -1 : whole_of(count);
}

/// Splits a text at white space, at most `most` times (negative: everywhere). The remaining text
/// becomes the last item.
List words_of(std::string_view text, std::int64_t most)
{
    List words;
    std::size_t at = 0;
    const auto skip = [&](bool space) {
        for (std::size_t bytes = 0; at < text.size(); at += bytes) {
            bytes = std::max<std::size_t>(1, character_at(text.substr(at)));
            if (stripped(text.substr(at, bytes)).empty() != space)
                return;
        }
    };
    for (skip(true); at < text.size() && most != 0; skip(true), --most) {
        const std::size_t begin = at;
        skip(false);
        words.push_back({std::string(text.substr(begin, at - begin))});
    }
    if (at < text.size()) // `most` splits are done; white space at the text's end remains
        words.push_back({std::string(text.substr(at))});
    return words;
}

List divided(const std::string& text, const Value& separator, const Value& most)
{
    std::int64_t left = count_of(most);
    if (is_absent(separator))
        return words_of(text, left);
    const std::string& by = text_of(separator);
    if (by.empty())
        throw Raised("split() has an empty separator");
    List parts;
    std::size_t at = 0;
    for (std::size_t found = 0; left != 0 && (found = text.find(by, at)) != std::string::npos;
         --left) {
        parts.push_back({text.substr(at, found - at)});
        at = found + by.size();
    }
    parts.push_back({text.substr(at)});
    return parts;
}

List divided_from_end(const std::string& text, const Value& separator, const Value& most)
{
    std::int64_t left = count_of(most);
    if (is_absent(separator) && left >= 0)
        throw Unable("rsplit() by white space does not support a count");
    if (is_absent(separator))
        return words_of(text, left);
    const std::string& by = text_of(separator);
    if (by.empty())
        throw Raised("rsplit() has an empty separator");
    List parts;
    std::size_t end = text.size();
    for (; left != 0 && end >= by.size(); --left) {
        const std::size_t found = text.rfind(by, end - by.size());
        if (found == std::string::npos)
            break;
        parts.push_back({text.substr(found + by.size(), end - found - by.size())});
        end = found;
    }
    parts.push_back({text.substr(0, end)});
    std::ranges::reverse(parts);
    return parts;
}

List lines_of(const std::string& text, bool keeps)
{
    const auto has = [&](const char* end) { return text.find(end) != std::string::npos; };
    if (text.find_first_of("\v\f\x1c\x1d\x1e") != std::string::npos || has("\xc2\x85") ||
        has("\xe2\x80\xa8") || has("\xe2\x80\xa9"))
        throw Unable("splitlines() supports only LF and CR as line ends");
    List lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
        const std::size_t next =
            end == text.size() ? end : end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
        lines.push_back({text.substr(at, (keeps ? next : end) - at)});
        at = next;
    }
    return lines;
}

/// A part of a text, and the position of its first character.
struct Range {
    std::string text;
    std::int64_t first;
    bool exists; ///< `first` is neither after the text's end nor after the part's end
};

Range range_of(const std::string& text, const Value& first, const Value& end)
{
    const Value none{None{}};
    const Value from = is_absent(first) ? none : first;
    const auto count = static_cast<std::int64_t>(items({text}).size());
    std::int64_t at = is_absent(first) ? 0 : whole_of(first);
    at = std::max<std::int64_t>(0, at < 0 ? at + count : at);
    const Value cut = slice({text}, from, is_absent(end) ? none : end, none);
    std::int64_t last = is_absent(end) ? count : whole_of(end);
    last = std::max<std::int64_t>(0, last < 0 ? last + count : last);
    return {*cut.text(), at, at <= count && at <= last};
}

/// Returns whether a range of a text begins, or ends, with the given text or with one of a tuple's
/// texts.
bool borders(const std::string& whole, const List& given, bool begins)
{
    const Range range = range_of(whole, given[1], given[2]);
    if (given[0].text() == nullptr && given[0].as<Tuple>() == nullptr)
        throw Raised("startswith() and endswith() take only a text or a tuple of texts");
    const List any = given[0].text() != nullptr ? List{given[0]} : *given[0].list();
    return std::ranges::any_of(any, [&](const Value& one) {
        const std::string& border = text_of(one);
        return range.exists &&
               (begins ? range.text.starts_with(border) : range.text.ends_with(border));
    });
}

Value found_in(const std::string& whole, const std::string& name, const List& given)
{
    const Range range = range_of(whole, given[1], given[2]);
    const std::string& part = text_of(given[0]);
    const std::size_t at = name[0] == 'r' ? range.text.rfind(part) : range.text.find(part);
    if (at == std::string::npos || !range.exists) {
        if (name.ends_with("index"))
            throw Raised("index() does not find the text");
        return {std::int64_t{-1}};
    }
    const std::size_t before = items({range.text.substr(0, at)}).size();
    return {range.first + static_cast<std::int64_t>(before)};
}

Value counted(const std::string& whole, const List& given)
{
    const Range range = range_of(whole, given[1], given[2]);
    const std::string& part = text_of(given[0]);
    if (!range.exists)
        return {std::int64_t{0}};
    if (part.empty())
        return {static_cast<std::int64_t>(items({range.text}).size()) + 1};
    std::int64_t count = 0;
    for (std::size_t at = 0; (at = range.text.find(part, at)) != std::string::npos;
         at += part.size())
        ++count;
    return {count};
}

Value partitioned(const std::string& text, const std::string& by, bool from_end)
{
    if (by.empty())
        throw Raised("partition() has an empty separator");
    const std::size_t at = from_end ? text.rfind(by) : text.find(by);
    const Value none{std::string()}, whole{text};
    if (at == std::string::npos)
        return from_end ? of_tuple({none, none, whole}) : of_tuple({whole, none, none});
    return of_tuple({{text.substr(0, at)}, {by}, {text.substr(at + by.size())}});
}

Value joined_by(const std::string& between, const Value& value)
{
    std::string text;
    bool is_first = true;
    for (const Value& item : items(value)) {
        text += (is_first ? "" : between) + text_of(item);
        is_first = false;
        check_bytes(text.size());
    }
    return {text};
}

/// Calls a text's method that takes no arguments.
Value plain_method(const std::string& text, const std::string& name)
{
    if (name == "upper" || name == "lower")
        return {changed(text, name == "upper")};
    if (name == "title")
        return {titled(text)};
    if (name == "capitalize")
        return {capitalized(text)};
    const auto all = [&](int (*is)(int)) {
        for (const char c : text)
            if (static_cast<unsigned char>(c) >= 0x80)
                throw Unable("the method '" + name + "' supports only ASCII");
        return Value{!text.empty() &&
                     std::ranges::all_of(text, [&](char c) { return is(c) != 0; })};
    };
    if (name == "isdigit" || name == "isnumeric" || name == "isdecimal")
        return all(std::isdigit);
    if (name == "isalpha")
        return all(std::isalpha);
    if (name == "isalnum")
        return all(std::isalnum);
    if (name == "isspace")
        return {!text.empty() && stripped(text).empty()};
    throw Unable("the method '" + name + "' is not supported");
}

Value text_method(const std::string& text, const std::string& name, const Arguments& arguments)
{
    if (name == "split" || name == "rsplit") {
        const List given = arguments.taken({"sep", "maxsplit"});
        return of_list(name == "split" ? divided(text, given[0], given[1])
                                       : divided_from_end(text, given[0], given[1]));
    }
    if (name == "strip" || name == "lstrip" || name == "rstrip")
        return {trimmed(text, arguments.taken({""})[0], name != "rstrip", name != "lstrip")};
    if (name == "startswith" || name == "endswith")
        return {borders(text, arguments.taken({"", "", ""}, 1), name == "startswith")};
    if (name == "find" || name == "rfind" || name == "index" || name == "rindex")
        return found_in(text, name, arguments.taken({"", "", ""}, 1));
    if (name == "count")
        return counted(text, arguments.taken({"", "", ""}, 1));
    if (name == "replace") {
        const List given = arguments.taken({"", "", ""}, 2);
        return {replaced(text, text_of(given[0]), text_of(given[1]), given[2])};
    }
    if (name == "join")
        return joined_by(text, arguments.taken({""}, 1)[0]);
    if (name == "splitlines")
        return of_list(lines_of(text, truth(arguments.taken({"keepends"})[0])));
    if (name == "partition" || name == "rpartition")
        return partitioned(text, text_of(arguments.taken({""}, 1)[0]), name == "rpartition");
    if (name == "removeprefix" || name == "removesuffix") {
        const bool begins = name == "removeprefix";
        const std::string part = text_of(arguments.taken({""}, 1)[0]);
        if (begins ? !text.starts_with(part) : !text.ends_with(part))
            return {text};
        return {text.substr(begins ? part.size() : 0, text.size() - part.size())};
    }
    Value result = plain_method(text, name);
    (void)arguments.taken({});
    return result;
}

Value list_method(const List& list, const std::string& name, const Arguments& arguments)
{
    if (name == "copy") {
        (void)arguments.taken({});
        return of_list(list);
    }
    if ((name != "index" && name != "count") || (name == "index" && arguments.listed.size() > 1))
        throw Unable("the method '" + name + "' is not supported, or not with these arguments");
    const Value wanted = arguments.given({""}, 1)[0];
    const auto is_wanted = [&](const Value& item) { return equal(item, wanted); };
    if (name == "count")
        return {static_cast<std::int64_t>(std::ranges::count_if(list, is_wanted))};
    const auto found = std::ranges::find_if(list, is_wanted);
    if (found == list.end())
        throw Raised("index() does not find the value");
    return {static_cast<std::int64_t>(found - list.begin())};
}

Value map_method(const Map& map, const std::string& name, const Arguments& arguments)
{
    if (name == "get") {
        const List given = arguments.given({"", ""}, 1);
        const Value* const found = find(map, given[0]);
        return found != nullptr ? *found : arguments.listed.size() > 1 ? given[1] : Value{None{}};
    }
    if (name != "items" && name != "copy" && name != "keys" && name != "values")
        throw Unable("the method '" + name + "' is not supported");
    (void)arguments.taken({});
    if (name == "items")
        return of_view(pairs_of(map));
    if (name == "copy")
        return of_map(map);
    List list;
    for (const auto& [key, value] : map)
        list.push_back(name == "keys" ? value_of_key(key) : value);
    return of_view(std::move(list));
}

} // namespace

bool is_method(const Value& self, std::string_view name)
{
    return has_word(self.text() != nullptr                           ? text_methods
                    : self.map() != nullptr                          ? map_methods
                    : self.as<Tuple>() != nullptr                    ? tuple_methods
                    : self.list() != nullptr                         ? list_methods
                    : is_whole(self) || self.as<double>() != nullptr ? number_members
                                                                     : std::string_view{},
                    name);
}

Value call_method(const Value& self, const std::string& name, const Arguments& arguments)
{
    if (self.text() != nullptr)
        return text_method(*self.text(), name, arguments);
    if (const auto* const turn = self.as<std::int64_t>(); turn != nullptr && name == "cycle") {
        if (arguments.listed.empty() || !arguments.named.empty())
            throw Raised("loop.cycle() takes one or more arguments without names");
        return arguments.listed[static_cast<std::size_t>(*turn) % arguments.listed.size()];
    }
    if (has_word(changing_methods, name) && (self.list() != nullptr || self.map() != nullptr))
        throw Raised("'" + name + "' would change a value, which templates may not do");
    if (self.list() != nullptr)
        return list_method(*self.list(), name, arguments);
    if (self.map() != nullptr)
        return map_method(*self.map(), name, arguments);
    throw Unable("the method '" + name + "' is not supported");
}

const std::string& text_of(const Value& value)
{
    if (value.text() == nullptr)
        throw Raised("expected a text");
    return *value.text();
}

std::string lowered(std::string text)
{
    return changed(std::move(text), false);
}

std::string capitalized(std::string text)
{
    text = lowered(std::move(text));
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string trimmed(const std::string& whole, const Value& characters, bool left, bool right)
{
    std::string_view text = whole;
    if (!is_absent(characters)) {
        std::set<std::string> set;
        for (const Value& character : items({text_of(characters)}))
            set.insert(*character.text());
        const List all = items({whole});
        const auto stays = [&](const Value& one) { return !set.contains(*one.text()); };
        const auto first = left ? std::ranges::find_if(all, stays) : all.begin();
        auto last = all.end();
        while (right && last != first && !stays(*(last - 1)))
            --last;
        std::string result;
        for (auto at = first; at != last; ++at)
            result += *at->text();
        return result;
    }
    const std::string_view inner = stripped(text);
    if (inner.empty())
        return {};
    const auto begin = static_cast<std::size_t>(inner.data() - text.data());
    const std::size_t end = begin + inner.size();
    return std::string(
        text.substr(left ? begin : 0, (right ? end : text.size()) - (left ? begin : 0)));
}

std::string replaced(const std::string& text, const std::string& old, const std::string& with,
                     const Value& count)
{
    std::int64_t left = count_of(count);
    if (left < 0)
        left = std::numeric_limits<std::int64_t>::max();
    std::string result;
    const auto add = [&](const std::string& part) {
        check_bytes(result.size() + part.size());
        result += part;
    };
    if (old.empty()) { // inserts before each character and at the end
        for (const Value& character : items({text})) {
            add(left > 0 ? with : "");
            --left;
            add(*character.text());
        }
        add(left > 0 ? with : "");
        return result;
    }
    std::size_t at = 0;
    for (std::size_t found = 0; left > 0 && (found = text.find(old, at)) != std::string::npos;
         at = found + old.size(), --left) {
        add(text.substr(at, found - at));
        add(with);
    }
    add(text.substr(at));
    return result;
}

List pairs_of(const Map& map)
{
    List pairs;
    for (const auto& [key, value] : map)
        pairs.push_back(of_tuple({value_of_key(key), value}));
    return pairs;
}

} // namespace levee::jinja
