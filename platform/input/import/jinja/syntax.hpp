// SPDX-License-Identifier: Apache-2.0
// Syntax of a Jinja template: text, expressions and statements.
#pragma once

#include "platform/input/import/jinja/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace levee::jinja {

enum class ExpressionKind {
    constant,
    variable, ///< a variable, named `name`
    list,
    tuple,
    map,       ///< keys alternating with values
    attribute, ///< part.name
    item,      ///< part[part]
    slice,     ///< part[part:part:part]; absent ones are None
    call,      ///< part(arguments)
    filter,    ///< part | name(arguments)
    test,      ///< part is name(arguments)
    negation,  ///< not part
    minus,     ///< -part
    both,      ///< part and part
    either,    ///< part or part
    operation, ///< part `name` part: == != < <= > >= in + - * / // % ** ~
    choice     ///< part if part else part
};

struct Expression {
    ExpressionKind kind = ExpressionKind::constant;
    std::size_t line = 0;
    std::size_t depth = 1; ///< levels of nested expressions, including this one
    std::string name{};
    Value value{};
    std::vector<Expression> parts{};
    std::vector<std::pair<std::string, Expression>>
        named{}; ///< named arguments of a call, a filter or a test
};

enum class StatementKind {
    text,       ///< `name` is the text
    print,      ///< the first expression
    condition,  ///< if expression: body, or else `otherwise`, which also holds an `elif`
    loop,       ///< for `names` in expression [if expression]
    assignment, ///< names = expression, or the name's member
    capture,    ///< name = text of the body
    macro,
    group,    ///< a body with variables of its own, without names: `generation`
    filtered, ///< the filters of the first expression, which apply to the text of the body
    scope,    ///< a body with variables of its own: names and their expressions
    stop,     ///< break
    next      ///< continue
};

struct Statement {
    StatementKind kind = StatementKind::text;
    std::size_t line = 0;
    std::string name{};               ///< text, or the name of a macro or member
    std::vector<std::string> names{}; ///< assigned names, or parameters of a macro
    std::vector<Expression> values{}; ///< expressions, or default values of the last parameters
    std::vector<Statement> body{};
    std::vector<Statement> otherwise{}; ///< the `else` of a condition or a loop
};

/// Name of the variable with the text of a `filtered` body. Templates cannot use this name, since
/// it has a blank.
constexpr const char* filtered_text = "the text";

struct Macro {
    const Statement* definition; ///< must outlive the macro
};

/// Parses a template with the settings trim_blocks and lstrip_blocks, as in transformers. Throws
/// Unable.
std::vector<Statement> parse(std::string_view text);

} // namespace levee::jinja
