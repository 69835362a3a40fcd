// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/jinja/builtins.hpp"

#include "platform/input/import/jinja/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace levee::jinja {

namespace {

constexpr std::int64_t longest_range = 1'000;

/// Returns the entries that dict() and namespace() make: those of a map or a list of pairs, then
/// the named arguments.
Map members_of(const Arguments& arguments)
{
    MapBuilder map;
    if (arguments.listed.size() > 1)
        throw Raised("dict() and namespace() take at most one value");
    for (const Value& whole : arguments.listed) {
        for (const Value& pair : whole.map() != nullptr ? pairs_of(*whole.map()) : items(whole)) {
            const List both = items(pair);
            if (both.size() != 2)
                throw Raised("dict() takes a list only if its items are pairs");
            map.set(text_of_key(both[0]), both[1]);
        }
    }
    for (const auto& [name, value] : arguments.named)
        map.set(name, value);
    return map.take();
}

Value range(const Arguments& arguments)
{
    const auto& listed = arguments.listed;
    if (listed.empty() || listed.size() > 3 || !arguments.named.empty())
        throw Raised("range() takes one to three numbers");
    for (const Value& argument : listed)
        check_32({whole_of(argument)});
    const std::int64_t first = listed.size() > 1 ? whole_of(listed[0]) : 0;
    const std::int64_t last = whole_of(listed[listed.size() > 1 ? 1 : 0]);
    const std::int64_t step = listed.size() > 2 ? whole_of(listed[2]) : 1;
    if (step == 0)
        throw Raised("range() has a step of 0");
    List list;
    for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) {
        if (static_cast<std::int64_t>(list.size()) == longest_range)
            throw Unable("range() has more than " + std::to_string(longest_range) + " numbers");
        list.push_back({i});
    }
    return of_view(std::move(list), true);
}

// Functions of Jinja, and two functions of transformers.
constexpr std::array<std::string_view, 8> functions{
    "raise_exception", "strftime_now", "namespace", "dict", "range", "cycler", "joiner", "lipsum"};

bool is_case(const Value& value, bool upper)
{
    const std::string text = printed(value);
    const bool cased = std::ranges::any_of(text, [](unsigned char c) {
        if (c >= 0x80)
            throw Unable("tests for upper and lower case support only ASCII");
        return std::isalpha(c) != 0;
    });
    return cased && std::ranges::none_of(text, [&](unsigned char c) {
               return (upper ? std::islower(c) : std::isupper(c)) != 0;
           });
}

/// Evaluates one of Jinja's six comparison tests, such as `eq`.
bool compares(const std::string& name, const Value& value, const Arguments& arguments)
{
    const Value other = arguments.given({""}, 1)[0];
    if (name == "equalto" || name == "eq" || name == "==")
        return equal(value, other);
    if (name == "ne" || name == "!=")
        return !equal(value, other);
    const int found = order(value, other);
    if (name == "lt" || name == "lessthan" || name == "<")
        return found < 0;
    if (name == "gt" || name == "greaterthan" || name == ">")
        return found > 0;
    return name == "le" || name == "<=" ? found <= 0 : found >= 0;
}

constexpr std::array<std::string_view, 15> comparisons{
    "equalto", "eq", "==", "ne",          "!=", "lt", "lessthan", "<",
    "gt",      ">",  "le", "greaterthan", "<=", "ge", ">="};

/// Evaluates a test without arguments, such as `defined`.
bool passes_alone(const std::string& name, const Value& value)
{
    const auto* const whole = value.as<std::int64_t>();
    const bool is_real = value.as<double>() != nullptr;
    const bool has_places = value.text() != nullptr || value.places() != nullptr ||
                            value.map() != nullptr || !value.defined();
    if (name == "defined")
        return value.defined();
    if (name == "undefined")
        return !value.defined();
    if (name == "none")
        return value.as<None>() != nullptr;
    if (name == "string")
        return value.text() != nullptr;
    if (name == "mapping")
        return value.map() != nullptr;
    if (name == "sequence")
        return has_places;
    if (name == "iterable")
        return has_places || value.elements() != nullptr;
    if (name == "callable" && value.as<Namespace>() != nullptr)
        throw Unable("the test 'callable' does not support a namespace or 'loop'");
    if (name == "callable")
        return !value.defined() || value.as<Function>() != nullptr ||
               value.as<std::shared_ptr<const Macro>>() != nullptr;
    if (name == "boolean")
        return value.as<bool>() != nullptr;
    if (name == "true" || name == "false")
        return value.as<bool>() != nullptr && *value.as<bool>() == (name == "true");
    if (name == "integer")
        return whole != nullptr;
    if (name == "float")
        return is_real;
    if (name == "number")
        return whole != nullptr || is_real || value.as<bool>() != nullptr;
    if ((name == "odd" || name == "even") && is_real)
        return std::abs(std::fmod(*value.as<double>(), 2)) == (name == "odd" ? 1 : 0);
    if (name == "odd" || name == "even")
        return (whole_of(value) % 2 != 0) == (name == "odd");
    if (name == "lower" || name == "upper")
        return is_case(value, name == "upper");
    throw Unable("the test '" + name + "' is not supported");
}

} // namespace

void check_bytes(std::size_t bytes)
{
    if (bytes > most_bytes)
        throw Unable("makes more than " + std::to_string(most_bytes) + " bytes");
}

List Arguments::given(std::initializer_list<std::string_view> names, std::size_t required) const
{
    if (listed.size() > names.size())
        throw Raised("too many arguments");
    List values(listed.begin(), listed.end());
    values.resize(names.size());
    for (const auto& [name, value] : named) {
        const auto* const found = std::ranges::find(names, name);
        const auto at = static_cast<std::size_t>(found - names.begin());
        if (found == names.end() || at < listed.size())
            throw Raised("the argument '" + name + "' is not expected");
        values[at] = value;
    }
    for (std::size_t i = listed.size(); i < required; ++i)
        if (find(names.begin()[i]) == nullptr)
            throw Raised("an argument is missing");
    return values;
}

List Arguments::taken(std::initializer_list<std::string_view> names, std::size_t required) const
{
    List values = given(names, required);
    const auto defined = [](const Value& value) { return value.defined(); };
    if (!std::ranges::all_of(listed, defined) ||
        !std::ranges::all_of(named, defined, &Map::value_type::second))
        throw Unable("an argument is undefined, which is not supported");
    return values;
}

const Value* Arguments::find(std::string_view name) const
{
    const auto found = std::ranges::find(named, name, &Map::value_type::first);
    return found != named.end() ? &found->second : nullptr;
}

bool is_function(std::string_view name)
{
    return std::ranges::find(functions, name) != functions.end();
}

Value call_function(const std::string& name, const Arguments& arguments)
{
    if (name == "raise_exception")
        throw Raised(printed(arguments.given({"message"}, 1)[0]), true);
    if (name == "range")
        return range(arguments);
    if (name == "strftime_now") // writes the format, not the date: results must be reproducible
        return {"<date " + text_of(arguments.taken({"format"}, 1)[0]) + ">"};
    if (name == "dict")
        return of_map(members_of(arguments));
    if (name == "namespace")
        return {Namespace{std::make_shared<Map>(members_of(arguments))}};
    throw Unable("the function '" + name + "' is not supported");
}

bool passes_test(const std::string& name, const Value& value, const Arguments& arguments)
{
    if (name == "divisibleby" && value.as<double>() != nullptr)
        throw Unable("the test 'divisibleby' supports only integers");
    if (name == "divisibleby") {
        const std::int64_t by = whole_of(arguments.taken({"num"}, 1)[0]);
        if (by == 0)
            throw Raised("a division by 0");
        return by == -1 || whole_of(value) % by == 0;
    }
    if (name == "sameas") {
        const Value other = arguments.given({"other"}, 1)[0];
        if (value.elements() != nullptr || value.map() != nullptr)
            throw Unable("the test 'sameas' does not support lists and maps");
        return value.is.index() == other.is.index() && equal(value, other);
    }
    if (std::ranges::find(comparisons, name) != comparisons.end())
        return compares(name, value, arguments);
    if (name == "in")
        return contains(arguments.given({"seq"}, 1)[0], value);
    const bool passes = passes_alone(name, value);
    (void)arguments.taken({});
    return passes;
}

Value attribute(const Value& self, const std::string& name)
{
    if (!self.defined())
        throw Raised("'" + self.as<Undefined>()->name + "' is undefined");
    if (self.as<View>() != nullptr)
        throw Unable("members of views and ranges are not supported");
    if (is_method(self, name)) // Methods take precedence over members, as in Python.
        return {Function{name, std::make_shared<const Value>(self)}};
    if (const auto* const space = self.as<Namespace>())
        return member(*space->members, name);
    return self.map() != nullptr ? member(*self.map(), name) : Value{Undefined{name}};
}

Value item(const Value& self, const Value& key)
{
    if (!self.defined())
        throw Raised("'" + self.as<Undefined>()->name + "' is undefined");
    if (key.text() != nullptr) {
        const Value* const found = self.map() != nullptr ? find(*self.map(), *key.text()) : nullptr;
        return found != nullptr ? *found : attribute(self, *key.text());
    }
    const bool is_place = is_whole(key);
    if (self.map() != nullptr && (is_place || key.as<double>() != nullptr)) {
        const Value* const found = find(*self.map(), key);
        return found != nullptr ? *found : Value{Undefined{"an item"}};
    }
    if (!is_place || (self.places() == nullptr && self.text() == nullptr))
        return {Undefined{"an item"}};
    const List characters = self.text() != nullptr ? items(self) : List{};
    const List& list = self.places() != nullptr ? *self.places() : characters;
    const std::int64_t at = whole_of(key);
    const auto count = static_cast<std::int64_t>(list.size());
    if (at >= count || at < -count)
        return {Undefined{"an item"}};
    return list[static_cast<std::size_t>(at < 0 ? at + count : at)];
}

Value slice(const Value& whole, const Value& first, const Value& last, const Value& step)
{
    if (!whole.defined())
        throw Raised("'" + whole.as<Undefined>()->name + "' is undefined");
    if (whole.text() == nullptr && whole.places() == nullptr)
        return {Undefined{"a slice"}};
    if (is_whole(step) && whole_of(step) == 0)
        throw Raised("a slice has a step of 0");
    for (const Value* const bound : {&first, &last, &step})
        if (bound->as<None>() == nullptr && !is_whole(*bound))
            return {Undefined{"a slice"}};
    const List list = items(whole);
    const auto count = static_cast<std::int64_t>(list.size());
    const std::int64_t asked = step.as<None>() != nullptr ? 1 : whole_of(step);
    const std::int64_t by = std::clamp(asked, -count - 1, count + 1); // limited so that i + by does
                                                                      // not overflow
    const auto bound = [&](const Value& value, std::int64_t otherwise) {
        if (value.as<None>() != nullptr)
            return otherwise;
        const std::int64_t at = whole_of(value) + (whole_of(value) < 0 ? count : 0);
        return std::clamp<std::int64_t>(at, by < 0 ? -1 : 0, by < 0 ? count - 1 : count);
    };
    const std::int64_t begin = bound(first, by < 0 ? count - 1 : 0);
    const std::int64_t end = bound(last, by < 0 ? -1 : count);
    List taken;
    for (std::int64_t i = begin; by > 0 ? i < end : i > end; i += by)
        taken.push_back(list[static_cast<std::size_t>(i)]);
    if (whole.text() != nullptr) {
        std::string text;
        for (const Value& character : taken)
            text += *character.text();
        return {text};
    }
    if (whole.as<View>() != nullptr)
        return of_view(std::move(taken), true);
    return whole.as<Tuple>() != nullptr ? of_tuple(std::move(taken)) : of_list(std::move(taken));
}

} // namespace levee::jinja
