// SPDX-License-Identifier: Apache-2.0
// Functions, filters, tests and methods that templates call.
#pragma once

#include "platform/input/import/jinja/value.hpp"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace levee::jinja {

constexpr std::size_t most_bytes = 1 << 20; ///< Limit for a template, and for a text that it makes.
constexpr std::size_t most_items = 200'000; ///< Limit for a list that an operation makes.

/// Throws Unable for more than most_bytes.
void check_bytes(std::size_t bytes);

struct Arguments {
    std::span<const Value> listed;
    std::span<const std::pair<std::string, Value>> named;

    /// The values of parameters with these names, in order; undefined if there is none. A parameter
    /// without a name ("") can only be given by position. Throws Raised for too many arguments, for
    /// unknown names, and if one of the first `required` is missing.
    [[nodiscard]] List given(std::initializer_list<std::string_view> names,
                             std::size_t required = 0) const;
    /// The same for a function that takes no undefined value: undefined is absent. Throws Unable
    /// for arguments that are undefined.
    [[nodiscard]] List taken(std::initializer_list<std::string_view> names,
                             std::size_t required = 0) const;
    /// The named argument; null if there is none.
    [[nodiscard]] const Value* find(std::string_view name) const;
};

/// All throw Unable for names that they do not know.
Value call_function(const std::string& name, const Arguments& arguments);
Value call_method(const Value& self, const std::string& name, const Arguments& arguments);
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments);
bool passes_test(const std::string& name, const Value& value, const Arguments& arguments);

/// Return whether a name is a function of Jinja or transformers, or a method that Python has for
/// this value. call_function() and call_method() do not know all of them.
bool is_function(std::string_view name);
bool is_method(const Value& self, std::string_view name);

/// value.name and value[key], undefined if there is none. Throw Raised for an undefined value, and
/// Unable for a member of a view.
Value attribute(const Value& self, const std::string& name);
Value item(const Value& self, const Value& key);
/// A slice with Python's rules; None for absent bounds.
Value slice(const Value& whole, const Value& first, const Value& last, const Value& step);

/// Helpers of methods and filters. text_of() throws Raised for a value that is not a text.
const std::string& text_of(const Value& value);
std::string lowered(std::string text);
std::string capitalized(std::string text);
/// Without white space, or the given characters, on the named sides.
std::string trimmed(const std::string& whole, const Value& characters, bool left, bool right);
/// `count`: None or undefined for all.
std::string replaced(const std::string& text, const std::string& old, const std::string& with,
                     const Value& count);
/// Keys and values of a map, as tuples.
List pairs_of(const Map& map);
/// json.dumps() of Python, with transformers' arguments.
std::string json_of(const Value& value, const Arguments& arguments);

/// Returns whether an argument is absent or None.
inline bool is_absent(const Value& value)
{
    return !value.defined() || value.as<None>() != nullptr;
}

} // namespace levee::jinja
