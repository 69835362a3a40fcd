// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/condition.hpp"

#include "platform/studies/sweep/measured.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <variant>

namespace levee::sweep {

namespace {

using config::Error;

using Unset = std::monostate;
using Value = std::variant<Unset, bool, Measured, std::string>;

constexpr unsigned deepest_condition = 32; // terms in one another

Value value_of_text(const std::string& text)
{
    if (const std::optional<Measured> number = measure(text))
        return *number;
    return text;
}

std::string shown(const Value& value)
{
    if (const auto* number = std::get_if<Measured>(&value))
        return exact(number->value) + (number->unit.empty() ? "" : " " + number->unit);
    if (const auto* text = std::get_if<std::string>(&value))
        return "'" + *text + "'";
    return std::holds_alternative<bool>(value) ? "a condition" : "nothing";
}

} // namespace

/// An operation on the values of other terms; a leaf has a value or a name.
struct Condition::Operation {
    std::string operation; ///< empty: a leaf
    Value value;
    std::string name; ///< of an axis or a key; empty: `value`
    std::shared_ptr<const Operation> left, right;
};

namespace {

using Operation = Condition::Operation;
using Part = std::shared_ptr<const Operation>;

Part make(const std::string& operation, Part left, Part right)
{
    return std::make_shared<const Operation>(
        Operation{operation, {}, {}, std::move(left), std::move(right)});
}

class Reader {
public:
    Reader(const config::Node& node, const std::vector<std::string>& axes)
        : node_(node), text_(node.scalar), axes_(axes)
    {
    }

    Part whole()
    {
        Part term = either();
        if (!at_end())
            throw refuse("an operator or the end");
        if (names.empty())
            throw Error(node_.place, "the condition '" + text_ +
                                         "' names no axis of this study and no key of the "
                                         "scenario" +
                                         config::suggestion(first_word_, axes_));
        return term;
    }

    std::vector<std::string> names;

private:
    [[nodiscard]] Error refuse(const std::string& expected) const
    {
        const std::string rest = text_.substr(at_);
        return {node_.place, "the condition '" + text_ + "' has " +
                                 (rest.empty() ? std::string("its end") : "'" + rest + "'") +
                                 " where " + expected +
                                 " is expected, as in edram <= 8 MiB and policy == aerp"};
    }

    bool at_end()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
        return at_ == text_.size();
    }

    static bool in_word(char c)
    {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%';
    }

    bool take(std::string_view token)
    {
        if (at_end() || text_.compare(at_, token.size(), token) != 0)
            return false;
        const std::size_t end = at_ + token.size();
        if (in_word(token.back()) && end < text_.size() && in_word(text_[end]))
            return false;
        at_ = end;
        return true;
    }

    Part either()
    {
        if (++depth_ > deepest_condition)
            throw refuse("no further '('");
        Part left = both();
        while (take("or"))
            left = make("or", left, both());
        --depth_;
        return left;
    }

    Part both()
    {
        Part left = negated();
        while (take("and"))
            left = make("and", left, negated());
        return left;
    }

    Part negated()
    {
        bool negative = false;
        while (take("not"))
            negative = !negative;
        const Part term = relation();
        return negative ? make("not", term, nullptr) : term;
    }

    Part relation()
    {
        const Part left = sum();
        for (const char* operation : {"<=", ">=", "==", "!=", "<", ">"})
            if (take(operation))
                return make(operation, left, sum());
        return left;
    }

    Part sum()
    {
        Part left = product();
        while (true) {
            if (take("+"))
                left = make("+", left, product());
            else if (take("-"))
                left = make("-", left, product());
            else
                return left;
        }
    }

    Part product()
    {
        Part left = operand();
        while (true) {
            if (take("*"))
                left = make("*", left, operand());
            else if (take("/"))
                left = make("/", left, operand());
            else
                return left;
        }
    }

    Part operand()
    {
        if (take("(")) {
            const Part term = either();
            if (!take(")"))
                throw refuse("an operator or ')'");
            return term;
        }
        if (at_end())
            throw refuse("a number, a word or a name");
        if (text_[at_] == '"' || text_[at_] == '\'')
            return quoted();
        if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
            return number();
        return word();
    }

    Part leaf(Value value) const
    {
        return std::make_shared<const Operation>(Operation{{}, std::move(value), {}, {}, {}});
    }

    Part quoted()
    {
        const char quote = text_[at_++];
        const std::size_t end = text_.find(quote, at_);
        if (end == std::string::npos)
            throw refuse(std::string("a text and ") + quote);
        const std::string text = text_.substr(at_, end - at_);
        at_ = end + 1;
        return leaf(value_of_text(text));
    }

    /// A number and, if the word behind it makes it one with a unit, its unit.
    Part number()
    {
        std::size_t end = at_;
        while (end < text_.size() && in_word(text_[end]))
            ++end;
        std::size_t unit = end;
        while (unit < text_.size() && text_[unit] == ' ')
            ++unit;
        std::size_t unit_end = unit;
        while (unit_end < text_.size() && (in_word(text_[unit_end]) || text_[unit_end] == '/'))
            ++unit_end;
        for (const std::size_t last : {unit_end, end}) {
            const std::optional<Measured> value = measure(text_.substr(at_, last - at_));
            if (!value)
                continue;
            at_ = last;
            return leaf(*value);
        }
        throw refuse("a number, with a unit such as 8 MiB or without");
    }

    Part word()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (in_word(text_[at_])))
            ++at_;
        const std::string name = text_.substr(begin, at_ - begin);
        if (name.empty())
            throw refuse("a number, a word or a name");
        if (first_word_.empty())
            first_word_ = name;
        const bool axis = std::find(axes_.begin(), axes_.end(), name) != axes_.end();
        if (!axis && name.find('.') == std::string::npos)
            return leaf(name);
        names.push_back(name);
        return std::make_shared<const Operation>(Operation{{}, {}, name, {}, {}});
    }

    const config::Node& node_;
    const std::string& text_;
    const std::vector<std::string>& axes_;
    std::string first_word_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
};

[[noreturn]] void mismatch(const std::string& operation, const Value& left, const Value& right)
{
    throw std::invalid_argument(shown(left) + " " + operation + " " + shown(right) +
                                " cannot be evaluated");
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

template <typename T> bool related(const std::string& operation, const T& left, const T& right)
{
    return operation == "<"    ? left < right
           : operation == "<=" ? !(right < left)
           : operation == ">"  ? right < left
           : operation == ">=" ? !(left < right)
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
    if (!orders && (text != nullptr || other != nullptr)) // a word and a number
        return operation == "!=";
    mismatch(operation, left, right);
}

bool truth(const Operation& term, const TextOf& text_of);

Value evaluate(const Operation& term, const TextOf& text_of)
{
    if (term.operation.empty() && term.name.empty())
        return term.value;
    if (term.operation.empty()) {
        const std::optional<std::string> text = text_of(term.name);
        return text ? value_of_text(*text) : Value(Unset{});
    }
    const std::string& operation = term.operation;
    if (operation == "and")
        return truth(*term.left, text_of) && truth(*term.right, text_of);
    if (operation == "or")
        return truth(*term.left, text_of) || truth(*term.right, text_of);
    if (operation == "not")
        return !truth(*term.left, text_of);
    const Value left = evaluate(*term.left, text_of), right = evaluate(*term.right, text_of);
    constexpr std::string_view arithmetic = "+-*/";
    if (operation.size() == 1 && arithmetic.find(operation[0]) != std::string_view::npos)
        return compute(operation, left, right);
    return compare(operation, left, right);
}

bool truth(const Operation& term, const TextOf& text_of)
{
    const Value value = evaluate(term, text_of);
    if (const auto* holds = std::get_if<bool>(&value))
        return *holds;
    if (const auto* word = std::get_if<std::string>(&value);
        word && (*word == "true" || *word == "false"))
        return *word == "true";
    if (std::holds_alternative<Unset>(value))
        return false;
    throw std::invalid_argument(shown(value) + " is no condition; expected a relation such as "
                                               "edram <= 8 MiB");
}

} // namespace

Condition::Condition(const config::Node& node, const std::vector<std::string>& axes)
    : text_(node.scalar), place_(node.place)
{
    if (!node.is_scalar())
        throw Error(node.place, "a condition is " + std::string(node.kind_name()) +
                                    "; expected text such as edram <= 8 MiB");
    Reader reader(node, axes);
    term_ = reader.whole();
    names_ = std::move(reader.names);
}

bool Condition::holds(const TextOf& text_of) const
{
    try {
        return truth(*term_, text_of);
    } catch (const std::invalid_argument& error) {
        throw Error(place_, "the condition '" + text_ + "': " + error.what());
    }
}

} // namespace levee::sweep
