// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/expression.hpp"

#include <stdexcept>
#include <string_view>

namespace levee::sweep {

namespace {

using Unset = std::monostate;

std::string shown(const Value& value)
{
    if (const auto* number = std::get_if<Measured>(&value))
        return exact(number->value) + (number->unit.empty() ? "" : " " + number->unit);
    if (const auto* text = std::get_if<std::string>(&value))
        return "'" + *text + "'";
    return std::holds_alternative<bool>(value) ? "a condition" : "nothing";
}

[[noreturn]] void mismatch(const std::string& operation, const Value& left, const Value& right)
{
    const bool are_numbers =
        std::holds_alternative<Measured>(left) && std::holds_alternative<Measured>(right);
    const char* const expected = !are_numbers       ? "numbers on both sides"
                                 : operation == "*" ? "a unit on one side only"
                                 : operation == "/"
                                     ? "the same unit on both sides, or none on the right"
                                     : "the same unit on both sides";
    throw std::invalid_argument(shown(left) + " " + operation + " " + shown(right) +
                                " cannot be evaluated; expected " + expected);
}

Value negative(const Value& value)
{
    if (std::holds_alternative<Unset>(value))
        return value;
    const auto* number = std::get_if<Measured>(&value);
    if (number == nullptr)
        throw std::invalid_argument("-" + shown(value) +
                                    " cannot be evaluated; expected a number after '-'");
    return Measured{-number->value, number->unit};
}

Value compute(const std::string& operation, const Value& left, const Value& right)
{
    if (std::holds_alternative<Unset>(left) || std::holds_alternative<Unset>(right))
        return Unset{};
    const auto* a = std::get_if<Measured>(&left);
    const auto* b = std::get_if<Measured>(&right);
    if (a == nullptr || b == nullptr)
        mismatch(operation, left, right);
    const bool adds = operation == "+" || operation == "-";
    if (adds && a->unit == b->unit)
        return Measured{operation == "+" ? a->value + b->value : a->value - b->value, a->unit};
    if (operation == "*" && (a->unit.empty() || b->unit.empty()))
        return Measured{a->value * b->value, a->unit + b->unit};
    if (operation == "/" && (b->unit.empty() || a->unit == b->unit))
        return Measured{a->value / b->value, b->unit.empty() ? a->unit : ""};
    mismatch(operation, left, right);
}

/// Returns whether the relation holds. If a number is missing (NaN), only != holds.
template <typename T> bool related(const std::string& operation, const T& left, const T& right)
{
    return operation == "<"    ? left < right
           : operation == "<=" ? left <= right
           : operation == ">"  ? left > right
           : operation == ">=" ? left >= right
           : operation == "==" ? left == right
                               : left != right;
}

bool compare(const std::string& operation, const Value& left, const Value& right)
{
    if (std::holds_alternative<Unset>(left) || std::holds_alternative<Unset>(right))
        return operation == "!=" && left.index() != right.index();
    const bool orders = operation != "==" && operation != "!=";
    const auto* a = std::get_if<Measured>(&left);
    const auto* b = std::get_if<Measured>(&right);
    if (a != nullptr && b != nullptr && a->unit == b->unit)
        return related(operation, a->value, b->value);
    const auto* text = std::get_if<std::string>(&left);
    const auto* other = std::get_if<std::string>(&right);
    if (!orders && text != nullptr && other != nullptr)
        return related(operation, *text, *other);
    if (!orders && (text != nullptr || other != nullptr)) // a word compared with a number
        return operation == "!=";
    mismatch(operation, left, right);
}

} // namespace

Value value_of_text(const std::string& text)
{
    if (const std::optional<Measured> number = measure(text))
        return *number;
    return text;
}

Value evaluate(const Expression& expression, const ValueOf& value_of)
{
    const std::string& operation = expression.operation;
    if (operation.empty())
        return expression.name.empty() ? expression.value : value_of(expression);
    if (operation == "and")
        return holds(*expression.left, value_of) && holds(*expression.right, value_of);
    if (operation == "or")
        return holds(*expression.left, value_of) || holds(*expression.right, value_of);
    if (operation == "not")
        return !holds(*expression.left, value_of);
    const Value left = evaluate(*expression.left, value_of);
    if (operation == "negative")
        return negative(left);
    const Value right = evaluate(*expression.right, value_of);
    constexpr std::string_view arithmetic = "+-*/";
    if (operation.size() == 1 && arithmetic.find(operation[0]) != std::string_view::npos)
        return compute(operation, left, right);
    return compare(operation, left, right);
}

bool holds(const Expression& expression, const ValueOf& value_of)
{
    const Value value = evaluate(expression, value_of);
    if (const auto* truth = std::get_if<bool>(&value))
        return *truth;
    if (const auto* word = std::get_if<std::string>(&value);
        word && (*word == "true" || *word == "false"))
        return *word == "true";
    if (std::holds_alternative<Unset>(value))
        return false;
    throw std::invalid_argument(shown(value) + " is not a condition; expected a relation such as "
                                               "buffer <= 8 MiB");
}

} // namespace levee::sweep
