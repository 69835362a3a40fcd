// SPDX-License-Identifier: Apache-2.0
// Filters that templates apply.
#include "platform/input/import/jinja/arithmetic.hpp"
#include "platform/input/import/jinja/builtins.hpp"
#include "platform/input/model/chat_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace levee::jinja {

namespace {

/// Returns the member of `from` at a path such as "function.name", or at an item's number; without
/// a path, `from`. Each undefined part of the path is replaced by `otherwise`, if it is given.
Value reached(const Value& from, const Value& path, const Value& otherwise = {})
{
    const auto part = [&](const Value& whole, const Value& key) {
        Value found = item(whole, key);
        return found.defined() || is_absent(otherwise) ? found : otherwise;
    };
    if (is_absent(path))
        return from;
    if (path.text() == nullptr)
        return part(from, path);
    Value value = from;
    const std::string& names = *path.text();
    for (std::size_t at = 0; at <= names.size();) {
        const std::size_t end = std::min(names.find('.', at), names.size());
        const std::string name = names.substr(at, end - at);
        const bool is_number =
            !name.empty() && name.size() < 10 &&
            std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
        value = part(value, is_number ? Value{std::int64_t{std::stoi(name)}} : Value{name});
        at = end + 1;
    }
    return value;
}

/// Returns the items that pass a test, or that are true if there is no test. If `passing` is false,
/// returns the other items. With `by_member`, the test applies to a member of each item.
Value selected(const Value& value, const Arguments& arguments, bool by_member, bool passing)
{
    List kept;
    const std::size_t first = by_member ? 1 : 0;
    if (by_member && arguments.listed.empty())
        throw Raised("selectattr and rejectattr need an attribute");
    for (const Value& item : truth(value) ? items_in_turn(value) : List{}) { // the value may be
                                                                             // None
        const Value tested = by_member ? reached(item, arguments.listed[0]) : item;
        const bool passes =
            arguments.listed.size() > first
                ? passes_test(text_of(arguments.listed[first]), tested,
                              {arguments.listed.subspan(first + 1), arguments.named})
                : truth(tested);
        if (passes == passing)
            kept.push_back(item);
    }
    return of_iterator(std::move(kept));
}

Value mapped(const Value& value, const Arguments& arguments)
{
    const bool by_member = arguments.listed.empty() && arguments.find("attribute") != nullptr;
    List given;
    if (by_member)
        given = arguments.taken({"attribute", "default"});
    else if (arguments.listed.empty())
        throw Raised("the filter 'map' needs a filter or an attribute");
    else if (text_of(arguments.listed[0]) == "map") // refused, since nested maps could exhaust the
                                                    // stack
        throw Unable("the filter 'map' cannot apply itself");
    List result;
    std::size_t bytes = 0;
    for (const Value& item : truth(value) ? items_in_turn(value) : List{}) {
        if (by_member) {
            result.push_back(reached(item, given[0], given[1]));
        } else {
            result.push_back(apply_filter(*arguments.listed[0].text(), item,
                                          {arguments.listed.subspan(1), arguments.named}));
        }
        if (const std::string* const text = result.back().text())
            check_bytes(bytes += text->size());
    }
    return of_iterator(std::move(result));
}

std::string joined(const Value& value, const List& given)
{
    const std::string between = given[0].defined() ? printed(given[0]) : "";
    std::string text;
    bool is_first = true;
    for (const Value& item : items(value)) {
        text += (is_first ? "" : between) + printed(reached(item, given[1]));
        is_first = false;
        check_bytes(text.size());
    }
    return text;
}

/// Converts a text to a number like Python's float(); nothing if it is not a number.
std::optional<double> real_of(const std::string& text)
{
    std::string_view digits = stripped(text);
    if (digits.starts_with('+') && !digits.starts_with("+-"))
        digits.remove_prefix(1);
    if (digits.find_first_of("_nNiI") != std::string_view::npos)
        throw Unable("numbers in texts with '_', 'inf' or 'nan' are not supported");
    double real = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
    if (error != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return real;
}

Value to_real(const Value& value, const Value& otherwise)
{
    if (const auto* const real = value.as<double>())
        return {*real};
    if (is_whole(value))
        return {static_cast<double>(whole_of(value))};
    if (!value.defined())
        throw Raised("an undefined value cannot become a number");
    const auto real = value.text() != nullptr ? real_of(*value.text()) : std::nullopt;
    return real ? Value{*real} : otherwise;
}

Value to_whole(const Value& value, const List& given)
{
    if (given[1].defined())
        throw Unable("the filter 'int' does not support a base");
    const Value real = to_real(value, {});
    if (!real.defined())
        return given[0].defined() ? given[0] : Value{std::int64_t{0}};
    if (is_whole(value))
        return {whole_of(value)};
    constexpr double most = 1e15; // below this limit, a double represents every integer
    if (!(std::abs(*real.as<double>()) < most))
        throw Unable("the filter 'int' does not support such a large number");
    return {static_cast<std::int64_t>(*real.as<double>())};
}

Value rounded(const Value& value, const List& given)
{
    const std::string method = given[1].defined() ? text_of(given[1]) : "common";
    if (given[0].defined() && whole_of(given[0]) != 0)
        throw Unable("the filter 'round' supports only rounding to integers");
    if (method != "common" && method != "ceil" && method != "floor")
        throw Raised("the filter 'round' takes only the methods common, ceil and floor");
    const auto* const held = value.as<double>();
    if (held == nullptr && method == "common")
        return {whole_of(value)};
    const double real = held != nullptr ? *held : static_cast<double>(whole_of(value));
    if (method == "common")
        return {std::nearbyint(real)};
    return {(method == "ceil" ? std::ceil(real) : std::floor(real)) + 0.0}; // gives 0.0 instead of
                                                                            // -0.0, as Python does
}

Value reversed(const Value& value)
{
    List list = items(value);
    std::ranges::reverse(list);
    if (value.text() != nullptr)
        return {joined(of_list(std::move(list)), {{}, {}})};
    return value.as<Iterator>() != nullptr ? of_list(std::move(list))
                                           : of_iterator(std::move(list));
}

Value end_of(const Value& value, bool first)
{
    if (!first && value.as<Iterator>() != nullptr)
        throw Raised("the filter 'last' does not apply to an iterator");
    const List list = items(value);
    if (list.empty())
        return {Undefined{first ? "first" : "last"}};
    if (const auto* const given = value.as<Iterator>())
        given->left->items.assign(list.begin() + 1, list.end());
    return first ? list.front() : list.back();
}

/// Returns the value by which sort, min, max and unique compare an item. A text is in lower case
/// unless `by_case` is set.
Value compared_as(const Value& value, const Value& path, bool by_case)
{
    Value found = reached(value, path);
    return found.text() != nullptr && !by_case ? Value{lowered(*found.text())} : found;
}

/// Returns the values, sorted by their keys (compared_as()).
List sorted(const List& list, const Value& path, bool by_case, bool backwards)
{
    std::vector<std::pair<Value, Value>> keyed;
    for (const Value& value : list)
        keyed.emplace_back(compared_as(value, path, by_case), value);
    std::ranges::stable_sort(keyed, [&](const auto& left, const auto& right) {
        const int found = order(left.first, right.first);
        return backwards ? found > 0 : found < 0;
    });
    List result;
    for (auto& [key, value] : keyed)
        result.push_back(std::move(value));
    return result;
}

Value least_or_most(const Value& value, const List& given, bool most)
{
    const List all = items(value);
    if (all.empty())
        return {Undefined{most ? "max" : "min"}};
    return sorted(all, given[1], truth(given[0]), most).front();
}

Value summed(const Value& value, const List& given)
{
    Value sum = given[1].defined() ? given[1] : Value{std::int64_t{0}};
    for (const Value& item : items(value)) {
        const Value next = reached(item, given[0]);
        if (sum.as<std::int64_t>() == nullptr || next.as<std::int64_t>() == nullptr)
            throw Unable("the filter 'sum' supports only integers");
        check_32({whole_of(next), whole_of(sum)});
        sum = {whole_of(sum) + whole_of(next)};
    }
    return sum;
}

Value unique(const Value& value, const List& given)
{
    std::map<std::string, bool> seen;
    List kept;
    for (const Value& item : items_in_turn(value)) {
        const Value key = compared_as(item, given[1], truth(given[0]));
        if (key.text() == nullptr)
            throw Unable("the filter 'unique' supports only texts");
        if (seen.emplace(*key.text(), true).second)
            kept.push_back(item);
    }
    return of_iterator(std::move(kept));
}

std::string indented(const std::string& text, const List& given)
{
    constexpr std::int64_t widest = 1000;
    if (text.find_first_of("\r\v\f\x1c\x1d\x1e") != std::string::npos)
        throw Unable("the filter 'indent' supports only LF as line end");
    const bool by_text = given[0].text() != nullptr;
    const std::int64_t width = by_text ? 0 : given[0].defined() ? whole_of(given[0]) : 4;
    if (width > widest)
        throw Unable("the filter 'indent' indents by more than " + std::to_string(widest));
    const std::string before =
        by_text ? *given[0].text()
                : std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, width)), ' ');
    std::string result = truth(given[1]) ? before : "";
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (at > 0)
            result += "\n" + (end > at || truth(given[2]) ? before : "");
        result.append(text, at, end - at);
        check_bytes(result.size());
        at = end + 1;
    }
    return result;
}

/// Capitalises each word, for the filter `title`. White space, hyphens and opening brackets
/// separate words.
std::string words_capitalized(const std::string& text)
{
    std::string result = lowered(text);
    bool begins = true;
    for (char& c : result) {
        if (begins)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        begins = std::isspace(static_cast<unsigned char>(c)) != 0 ||
                 std::string_view("-({[<").find(c) != std::string_view::npos;
    }
    return result;
}

Value length(const Value& value)
{
    if (value.as<Iterator>() != nullptr)
        throw Raised("the length of a value that is given item by item; expected '| list' first");
    return {static_cast<std::int64_t>(items(value).size())};
}

Value defaulted(const Value& value, const Arguments& arguments)
{
    const List given = arguments.given({"default_value", "boolean"});
    if (value.defined() && (!truth(given[1]) || truth(value)))
        return value;
    const bool has_other = !arguments.listed.empty() || arguments.find("default_value") != nullptr;
    return has_other ? given[0] : Value{std::string()};
}

Value pairs(const Value& value)
{
    if (value.map() == nullptr && value.defined())
        throw Raised("the filter 'items' applies only to maps");
    return of_iterator(value.defined() ? pairs_of(*value.map()) : List{});
}

Value pairs_sorted(const Value& value, const List& given)
{
    if (value.map() == nullptr)
        throw Raised("the filter 'dictsort' applies only to maps");
    const std::string by = given[1].defined() ? text_of(given[1]) : "key";
    if (by != "key" && by != "value")
        throw Raised("the filter 'dictsort' sorts only by 'key' or 'value'");
    return of_list(sorted(pairs_of(*value.map()), {std::int64_t{by == "key" ? 0 : 1}},
                          truth(given[0]), truth(given[2])));
}

Value absolute(const Value& value)
{
    if (const auto* const real = value.as<double>())
        return {std::abs(*real)};
    return {std::abs(whole_of(value))}; // no template can make the least 64-bit number, whose abs
                                        // overflows
}

using Filter = std::function<Value(const Value&, const Arguments&)>;

/// Returns a filter that takes no arguments.
Filter alone(Value (*filter)(const Value&))
{
    return [filter](const Value& value, const Arguments& arguments) {
        (void)arguments.taken({});
        return filter(value);
    };
}

const std::map<std::string, Filter, std::less<>>& filters()
{
    using Given = const Arguments&;
    using Of = const Value&;
    static const std::map<std::string, Filter, std::less<>> all{
        {"abs", alone([](Of value) { return absolute(value); })},
        {"capitalize", alone([](Of value) { return Value{capitalized(printed(value))}; })},
        {"count", alone([](Of value) { return length(value); })},
        {"d", defaulted},
        {"default", defaulted},
        {"dictsort",
         [](Of value, Given with) {
             return pairs_sorted(value, with.taken({"case_sensitive", "by", "reverse"}));
         }},
        {"first", alone([](Of value) { return end_of(value, true); })},
        {"float",
         [](Of value, Given with) {
             const Value other = with.taken({"default"})[0];
             return to_real(value, other.defined() ? other : Value{0.0});
         }},
        {"indent",
         [](Of value, Given with) {
             return Value{indented(text_of(value), with.taken({"width", "first", "blank"}))};
         }},
        {"int",
         [](Of value, Given with) {
             return to_whole(value, with.taken({"default", "base"}));
         }},
        {"items", alone([](Of value) { return pairs(value); })},
        {"join",
         [](Of value, Given with) {
             return Value{joined(value, with.taken({"d", "attribute"}))};
         }},
        {"last", alone([](Of value) { return end_of(value, false); })},
        {"length", alone([](Of value) { return length(value); })},
        {"list", alone([](Of value) { return of_list(items(value)); })},
        {"lower", alone([](Of value) { return Value{lowered(printed(value))}; })},
        {"map", mapped},
        {"max",
         [](Of value, Given with) {
             return least_or_most(value, with.taken({"case_sensitive", "attribute"}), true);
         }},
        {"min",
         [](Of value, Given with) {
             return least_or_most(value, with.taken({"case_sensitive", "attribute"}), false);
         }},
        {"reject", [](Of value, Given with) { return selected(value, with, false, false); }},
        {"rejectattr", [](Of value, Given with) { return selected(value, with, true, false); }},
        {"replace",
         [](Of value, Given with) {
             const List given = with.taken({"old", "new", "count"}, 2);
             return Value{replaced(printed(value), printed(given[0]), printed(given[1]), given[2])};
         }},
        {"reverse", alone([](Of value) { return reversed(value); })},
        {"round",
         [](Of value, Given with) {
             return rounded(value, with.taken({"precision", "method"}));
         }},
        {"select", [](Of value, Given with) { return selected(value, with, false, true); }},
        {"selectattr", [](Of value, Given with) { return selected(value, with, true, true); }},
        {"sort",
         [](Of value, Given with) {
             const List given = with.taken({"reverse", "case_sensitive", "attribute"});
             if (given[2].text() != nullptr && given[2].text()->find(',') != std::string::npos)
                 throw Unable("the filter 'sort' does not support several attributes");
             return of_list(sorted(items(value), given[2], truth(given[1]), truth(given[0])));
         }},
        {"string", alone([](Of value) { return Value{printed(value)}; })},
        {"sum",
         [](Of value, Given with) {
             return summed(value, with.taken({"attribute", "start"}));
         }},
        {"title", alone([](Of value) { return Value{words_capitalized(printed(value))}; })},
        {"tojson", [](Of value, Given with) { return Value{json_of(value, with)}; }},
        {"trim",
         [](Of value, Given with) {
             return Value{trimmed(printed(value), with.taken({"chars"})[0], true, true)};
         }},
        {"unique",
         [](Of value, Given with) {
             return unique(value, with.taken({"case_sensitive", "attribute"}));
         }},
        {"upper", alone([](Of value) { return call_method({printed(value)}, "upper", {}); })}};
    return all;
}

} // namespace

Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments)
{
    const auto found = filters().find(name);
    if (found == filters().end())
        throw Unable("the filter '" + name + "' is not supported");
    return found->second(value, arguments);
}

} // namespace levee::jinja
