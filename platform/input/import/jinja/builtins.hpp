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

constexpr std::size_t most_bytes = 1 << 20; ///< limit for a template, and for a text that it makes
constexpr std::size_t most_items = 200'000; ///< limit for a list that an operation makes

/// Throws Unable if `bytes` exceeds most_bytes.
void check_bytes(std::size_t bytes);

struct Arguments {
    std::span<const Value> listed;
    std::span<const std::pair<std::string, Value>> named;

    /// Returns the values of the parameters with these names, in order; undefined for an absent
    /// argument. A parameter without a name ("") can only be given by position. Throws Raised for
    /// too many arguments, unknown names, and a missing argument among the first `required`.
    [[nodiscard]] List given(std::initializer_list<std::string_view> names,
                             std::size_t required = 0) const;
    /// Like given(), for a function that does not accept undefined values. Throws Unable for
    /// arguments that are undefined.
    [[nodiscard]] List taken(std::initializer_list<std::string_view> names,
                             std::size_t required = 0) const;
    /// Returns the named argument; null if there is none.
    [[nodiscard]] const Value* find(std::string_view name) const;
};

/// All four throw Unable for names that they do not support.
Value call_function(const std::string& name, const Arguments& arguments);
Value call_method(const Value& self, const std::string& name, const Arguments& arguments);
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments);
bool passes_test(const std::string& name, const Value& value, const Arguments& arguments);

/// Return whether Jinja or transformers have this function, or Python has this method for the
/// value. call_function() and call_method() support only some of them.
bool is_function(std::string_view name);
bool is_method(const Value& self, std::string_view name);

/// Return value.name and value[key], or undefined if they do not exist. Throw Raised for an
/// undefined value, and Unable for a member of a view.
Value attribute(const Value& self, const std::string& name);
Value item(const Value& self, const Value& key);
/// Returns a slice by Python's rules. An absent bound is None.
Value slice(const Value& whole, const Value& first, const Value& last, const Value& step);

/// Helpers of methods and filters. text_of() throws Raised for a value that is not a text.
const std::string& text_of(const Value& value);
std::string lowered(std::string text);
std::string capitalized(std::string text);
/// Removes white space, or the given characters, at the chosen ends of a text.
std::string trimmed(const std::string& whole, const Value& characters, bool left, bool right);
/// Replaces `old` by `with`, at most `count` times; None or undefined: everywhere.
std::string replaced(const std::string& text, const std::string& old, const std::string& with,
                     const Value& count);
/// Returns the keys and values of a map, as tuples.
List pairs_of(const Map& map);
/// Returns JSON like json.dumps() of Python, with transformers' arguments.
std::string json_of(const Value& value, const Arguments& arguments);

/// Returns whether an argument is absent or None.
inline bool is_absent(const Value& value)
{
    return !value.defined() || value.as<None>() != nullptr;
}

} // namespace levee::jinja
