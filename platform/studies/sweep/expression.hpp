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

/// The value of an expression: nothing (a name that is not set), whether something holds, a number
/// with or without a unit, or a word.
using Value = std::variant<std::monostate, bool, Measured, std::string>;

/// A number, with its unit if one follows, or otherwise a word.
[[nodiscard]] Value value_of_text(const std::string& text);

/// An operation on the values of two expressions, or of `left` alone; or a leaf.
struct Expression {
    std::string operation; ///< Operation as written, or "negative"; empty: a leaf.
    Value value;           ///< value of a leaf without a name
    std::string name;      ///< name of an axis, a key or a column
    std::string point;     ///< point of the column's figure
    std::shared_ptr<const Expression> left, right;
};

/// Optional elements of an expression. All expressions have numbers, + - * /, a leading minus and
/// parentheses.
struct Language {
    std::string what;    ///< Name for messages: "check".
    std::string example; ///< Example for messages.
    /// Names are figures, column(point). Otherwise expressions have units, words, quoted texts,
    /// names of axes and keys (with a point), `not`, `and` and `or`.
    bool figures = false;
    bool relates = false;            ///< figures: two sums with a relation between them
    std::vector<std::string> axes{}; ///< names without a point
};

/// Reads an expression. Relations are < <= > >= == !=. Throws config::Error at `node` with the
/// position and the expectation.
[[nodiscard]] Expression parse(const config::Node& node, const Language& language);

/// Calls `use` for each leaf, in the order of the text.
void each_leaf(const Expression& expression, const std::function<void(const Expression&)>& use);

/// The value of a leaf with a name.
using ValueOf = std::function<Value(const Expression& leaf)>;

/// Throws std::invalid_argument for operations that are not possible, such as comparing a size and
/// a time. A relation with a value that is not set is false, except for !=.
[[nodiscard]] Value evaluate(const Expression& expression, const ValueOf& value_of);

/// The same of an expression that must hold or not.
[[nodiscard]] bool holds(const Expression& expression, const ValueOf& value_of);

} // namespace levee::sweep
