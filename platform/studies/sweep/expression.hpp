// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"
#include "platform/studies/sweep/measured.hpp"

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace levee::sweep {

/// The value of an expression: nothing (for a name that is not set), true or false, a number with
/// or without a unit, or a word.
using Value = std::variant<std::monostate, bool, Measured, std::string>;

/// Converts a text to a number, with its unit if it has one, or else to a word.
[[nodiscard]] Value value_of_text(const std::string& text);

/// An expression: an operation on two expressions, or on `left` alone, or a leaf.
struct Expression {
    std::string operation; ///< the operator as written, or "negative"; empty for a leaf
    Value value;           ///< value of a leaf that has no name
    std::string name;      ///< name of an axis, a key or a column
    std::string point;     ///< the point to which the figure belongs
    std::shared_ptr<const Expression> left, right;
};

/// The elements that an expression may have besides numbers, + - * /, a leading minus and
/// parentheses.
struct Language {
    std::string what;    ///< name in messages, such as "check"
    std::string example; ///< example in messages
    /// true: names are figures, as column(point). false: expressions may have units, words, quoted
    /// texts, names of axes and keys (with a dot), `not`, `and` and `or`.
    bool figures = false;
    bool relates = false;            ///< with `figures`: two sums with a relation between them
    std::vector<std::string> axes{}; ///< the known axes; other names must be keys, with a dot
};

/// Reads an expression. Its relations are < <= > >= == !=. Throws config::Error at `node` with the
/// position and what was expected.
[[nodiscard]] Expression parse(const config::Node& node, const Language& language);

/// Calls `use` for each leaf, in the order of the text.
void each_leaf(const Expression& expression, const std::function<void(const Expression&)>& use);

/// Returns the value of a leaf that has a name.
using ValueOf = std::function<Value(const Expression& leaf)>;

/// Throws std::invalid_argument for an impossible operation, such as the comparison of a size and a
/// time. A relation with a value that is not set is false, except for !=.
[[nodiscard]] Value evaluate(const Expression& expression, const ValueOf& value_of);

/// Like evaluate(), for an expression whose value is true or false.
[[nodiscard]] bool holds(const Expression& expression, const ValueOf& value_of);

} // namespace levee::sweep
