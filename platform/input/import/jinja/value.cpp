// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/jinja/value.hpp"

#include "platform/input/model/text_steps.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace levee::jinja {

namespace {

std::optional<std::int64_t> whole_number(const Value& value)
{
    if (const auto* const flag = value.as<bool>())
        return *flag ? 1 : 0;
    const auto* const whole = value.as<std::int64_t>();
    return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

std::optional<double> number(const Value& value)
{
    if (const auto whole = whole_number(value))
        return static_cast<double>(*whole);
    const auto* const real = value.as<double>();
    return real != nullptr ? std::optional(*real) : std::nullopt;
}

/// Compares numbers as Python does, with booleans as 0 and 1; nothing for other values.
std::optional<std::weak_ordering> order_of_numbers(const Value& left, const Value& right)
{
    const auto one = whole_number(left), other = whole_number(right);
    if (one && other)
        return *one <=> *other;
    const auto a = number(left), b = number(right);
    if (!a || !b)
        return std::nullopt;
    constexpr double most = 1e15; // below this limit, a double represents every integer
    if (!(std::abs(*a) < most && std::abs(*b) < most))
        throw Unable("comparisons of such large numbers are not supported");
    return *a < *b   ? std::weak_ordering::less
           : *a > *b ? std::weak_ordering::greater
                     : std::weak_ordering::equivalent;
}

} // namespace

Value of_list(List list)
{
    return {std::make_shared<List>(std::move(list))};
}

Value of_tuple(List list)
{
    return {Tuple{std::make_shared<List>(std::move(list))}};
}

Value of_view(List list, bool is_range)
{
    return {View{std::make_shared<List>(std::move(list)), is_range}};
}

Value of_iterator(List list)
{
    return {Iterator{std::make_shared<Turns>(Turns{std::move(list)})}};
}

const List* Value::elements() const
{
    if (const auto* const view = as<View>())
        return view->items.get();
    const auto* const iterator = as<Iterator>();
    return iterator != nullptr ? &iterator->left->items : list();
}

Value of_map(Map map)
{
    return {std::make_shared<Map>(std::move(map))};
}

namespace {

constexpr std::string_view integer_key{"\0integer ", 9}; ///< prefix of integer keys; no text of a
                                                         ///< template begins with it

} // namespace

std::string text_of_key(const Value& key)
{
    if (const std::string* const text = key.text())
        return *text;
    if (key.as<std::int64_t>() == nullptr)
        throw Unable("keys of maps other than texts and integers are not supported");
    return std::string(integer_key) + std::to_string(*key.as<std::int64_t>());
}

Value value_of_key(const std::string& key)
{
    if (!key.starts_with(integer_key))
        return {key};
    return {static_cast<std::int64_t>(std::stoll(key.substr(integer_key.size())))};
}

const Value* find(const Map& map, const std::string& name)
{
    const auto found = std::ranges::find(map, name, &Map::value_type::first);
    return found != map.end() ? &found->second : nullptr;
}

const Value* find(const Map& map, const Value& key)
{
    if (key.map() != nullptr || key.as<std::shared_ptr<List>>() != nullptr)
        throw Raised("a list or a map cannot be a key");
    if (key.text() != nullptr)
        return find(map, *key.text());
    const auto real = number(key);
    if (!real || std::trunc(*real) != *real)
        return nullptr;
    const auto whole =
        key.as<double>() != nullptr ? static_cast<std::int64_t>(*real) : whole_of(key);
    return find(map, text_of_key({whole}));
}

Value member(const Map& map, const std::string& name)
{
    const Value* const found = find(map, name);
    return found != nullptr ? *found : Value{Undefined{name}};
}

std::size_t own_bytes(const Value& value)
{
    if (const auto* const undefined = value.as<Undefined>())
        return undefined->name.size();
    return value.text() != nullptr ? value.text()->size() : 0;
}

void MapBuilder::set(const std::string& key, const Value& value)
{
    const auto [place, is_new] = places_.emplace(key, map_.size());
    if (is_new)
        map_.emplace_back(key, value);
    else
        map_[place->second].second = value;
}

bool truth(const Value& value)
{
    if (!value.defined() || value.as<None>() != nullptr)
        return false;
    if (const auto real = number(value))
        return *real != 0;
    if (const std::string* const text = value.text())
        return !text->empty();
    if (value.as<Iterator>() != nullptr)
        return true;
    if (const List* const list = value.elements())
        return !list->empty();
    if (const Map* const map = value.map())
        return !map->empty();
    return true;
}

bool equal(const Value& left, const Value& right)
{
    if (const auto found = order_of_numbers(left, right))
        return *found == 0;
    if (left.is.index() != right.is.index())
        return false;
    if (const std::string* const text = left.text())
        return *text == *right.text();
    if (left.places() != nullptr && right.places() != nullptr)
        return std::ranges::equal(*left.places(), *right.places(), equal);
    if (const Map* const map = left.map())
        return map->size() == right.map()->size() &&
               std::ranges::all_of(*map, [&](const auto& entry) {
                   const Value* const other = find(*right.map(), entry.first);
                   return other != nullptr && equal(entry.second, *other);
               });
    if (const auto* const space = left.as<Namespace>())
        return space->members == right.as<Namespace>()->members;
    if (const auto* const given = left.as<Iterator>())
        return given->left == right.as<Iterator>()->left;
    if (left.defined() && left.as<None>() == nullptr)
        throw Unable("comparisons of functions or of a map's views are not supported");
    return true;
}

int order(const Value& left, const Value& right)
{
    if (const auto found = order_of_numbers(left, right))
        return *found < 0 ? -1 : *found > 0 ? 1 : 0;
    if (left.text() != nullptr && right.text() != nullptr)
        return left.text()->compare(*right.text());
    if (left.list() != nullptr && left.is.index() == right.is.index()) {
        const List &one = *left.list(), &other = *right.list();
        const auto [at, there] = std::ranges::mismatch(one, other, equal);
        if (at != one.end() && there != other.end())
            return order(*at, *there);
        return at != one.end() ? 1 : there != other.end() ? -1 : 0;
    }
    if (left.as<View>() != nullptr && right.as<View>() != nullptr)
        throw Unable("'<' does not support a map's views");
    throw Raised("'<' does not apply to these values");
}

std::int64_t whole_of(const Value& value)
{
    const auto whole = whole_number(value);
    if (!whole)
        throw Raised("expected an integer");
    return *whole;
}

bool contains(const Value& whole, const Value& part)
{
    if (const std::string* const text = whole.text()) {
        if (part.text() == nullptr)
            throw Raised("'in' can search a text only for a text");
        return text->find(*part.text()) != std::string::npos;
    }
    if (const Map* const map = whole.map())
        return find(*map, part) != nullptr;
    const List all = items(whole);
    const auto found =
        std::ranges::find_if(all, [&](const Value& item) { return equal(item, part); });
    if (const auto* const given = whole.as<Iterator>(); given != nullptr && found != all.end())
        given->left->items.assign(found + 1, all.end());
    return found != all.end();
}

namespace {

std::string quoted(const std::string& text)
{
    const bool doubled =
        text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
    const char quote = doubled ? '"' : '\'';
    std::string result(1, quote);
    for (const char c : text) {
        constexpr std::string_view meant = "\n\r\t\\", written = "nrt\\";
        const std::size_t known = meant.find(c);
        if (static_cast<unsigned char>(c) >= 0x7f ||
            (static_cast<unsigned char>(c) < 0x20 && known == std::string_view::npos))
            throw Unable("printed lists and maps may contain only printable ASCII");
        if (known != std::string_view::npos || c == quote)
            result += '\\';
        result += known != std::string_view::npos ? written[known] : c;
    }
    return result + quote;
}

std::string represented(const List& list)
{
    std::string text;
    for (const Value& item : list)
        text += (text.empty() ? "" : ", ") + represented(item);
    return text;
}

} // namespace

std::string printed_real(double value)
{
    std::array<char, 32> digits{};
    const double size = std::abs(value);
    if (!std::isfinite(value))
        throw Unable("only finite numbers can be printed");
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto* const end =
        std::to_chars(digits.begin(), digits.end(), value,
                      plain ? std::chars_format::fixed : std::chars_format::scientific)
            .ptr;
    const std::string text(static_cast<const char*>(digits.data()), end);
    return plain && text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string represented(const Value& value)
{
    if (const std::string* const text = value.text())
        return quoted(*text);
    if (const Map* const map = value.map()) {
        std::string text;
        for (const auto& [key, item] : *map)
            text += (text.empty() ? "" : ", ") + represented(value_of_key(key)) + ": " +
                    represented(item);
        return "{" + text + "}";
    }
    if (const List* const list = value.list()) {
        const bool is_tuple = value.as<Tuple>() != nullptr;
        const std::string inner = represented(*list);
        return is_tuple ? "(" + inner + (list->size() == 1 ? ",)" : ")") : "[" + inner + "]";
    }
    return value.defined() ? printed(value) : "Undefined";
}

std::string printed(const Value& value)
{
    if (const std::string* const text = value.text())
        return *text;
    if (const auto* const flag = value.as<bool>())
        return *flag ? "True" : "False";
    if (const auto* const whole = value.as<std::int64_t>())
        return std::to_string(*whole);
    if (const auto* const real = value.as<double>())
        return printed_real(*real);
    if (value.as<None>() != nullptr)
        return "None";
    if (!value.defined())
        return "";
    if (value.list() != nullptr || value.map() != nullptr)
        return represented(value);
    throw Unable("functions, namespaces, views and iterators cannot be printed");
}

List items(const Value& value)
{
    List result;
    if (const auto* const given = value.as<Iterator>()) {
        if (given->left->begun)
            throw Unable("iterators that another loop or iterator has begun are not supported");
        return std::exchange(given->left->items, {});
    }
    if (const List* const list = value.elements())
        return *list;
    if (value.as<Namespace>() != nullptr)
        throw Unable("loops over a namespace or 'loop' are not supported");
    if (const Map* const map = value.map()) {
        for (const auto& [key, item] : *map)
            result.push_back(value_of_key(key));
    } else if (const std::string* const text = value.text()) {
        std::string_view rest = *text;
        while (!rest.empty()) {
            const std::size_t bytes = std::max<std::size_t>(1, character_at(rest));
            result.push_back({std::string(rest.substr(0, bytes))});
            rest.remove_prefix(bytes);
        }
    } else if (value.defined()) {
        throw Raised("the value cannot be iterated");
    }
    return result;
}

List items_in_turn(const Value& value)
{
    List all = items(value);
    if (const auto* const given = value.as<Iterator>())
        given->left->begun = true;
    return all;
}

} // namespace levee::jinja
