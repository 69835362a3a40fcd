// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace levee::sweep {

namespace {

using config::Error;
using config::in_quotes;
using Part = std::shared_ptr<const Expression>;

constexpr unsigned deepest = 32;           // maximum depth of nested terms
constexpr unsigned most_operations = 1000; // maximum number of operations in an expression
constexpr const char* relations[] = {"<=", ">=", "==", "!=", "<", ">"};

Part leaf(Value value)
{
    return std::make_shared<const Expression>(Expression{{}, std::move(value), {}, {}, {}, {}});
}

Part leaf(std::string name, std::string point)
{
    return std::make_shared<const Expression>(
        Expression{{}, {}, std::move(name), std::move(point), {}, {}});
}

bool is_digit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool in_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%';
}

/// Reads the tokens of a text, one after another.
class Tokens {
public:
    Tokens(const config::Node& node, const Language& language)
        : node_(node), text_(node.scalar), language_(language)
    {
    }

    [[nodiscard]] Error refuse(const std::string& expected) const
    {
        const std::string rest = text_.substr(at_);
        return {node_.place, begin() + (rest.empty() ? std::string("its end") : in_quotes(rest)) +
                                 " where " + expected + " is expected, as in " + language_.example};
    }

    [[nodiscard]] Error refuse_more_than(unsigned most, const std::string& of_what) const
    {
        return {node_.place,
                begin() + "more than " + std::to_string(most) + " " + of_what + "; expected fewer"};
    }

    bool at_end()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
        return at_ == text_.size();
    }

    /// Returns the next character that is not a space; 0 at the end.
    char next() { return at_end() ? '\0' : text_[at_]; }

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

    std::string take_word()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && in_word(text_[at_]))
            ++at_;
        return text_.substr(begin, at_ - begin);
    }

    /// Reads the text up to `end`, and `end` itself.
    std::string take_until(char end, const std::string& expected)
    {
        const std::size_t found = text_.find(end, at_);
        if (found == std::string::npos)
            throw refuse(expected);
        const std::string text = text_.substr(at_, found - at_);
        at_ = found + 1;
        return text;
    }

    /// Reads a number, and its unit if the next word is one.
    Measured take_number()
    {
        double number = 0.0;
        const char* const first = text_.data() + at_;
        const auto [last, status] = std::from_chars(first, text_.data() + text_.size(), number);
        if (status != std::errc())
            throw refuse("a number");
        if (!language_.figures)
            if (const std::optional<Measured> measured = take_measured())
                return *measured;
        at_ += static_cast<std::size_t>(last - first);
        return {number, ""};
    }

private:
    std::optional<Measured> take_measured()
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
        for (const std::size_t last : {unit_end, end})
            if (const auto measured = measure(text_.substr(at_, last - at_))) {
                at_ = last;
                return measured;
            }
        return std::nullopt;
    }

    [[nodiscard]] std::string begin() const
    {
        return "the " + language_.what + " " + in_quotes(text_) + " has ";
    }

    const config::Node& node_;
    const std::string& text_;
    const Language& language_;
    std::size_t at_ = 0;
};

class Parser {
public:
    Parser(const config::Node& node, const Language& language)
        : tokens_(node, language), language_(language)
    {
    }

    Part whole()
    {
        Part part = language_.relates ? related() : inner();
        if (!tokens_.at_end())
            throw tokens_.refuse("an operator or the end");
        return part;
    }

private:
    Part make(const std::string& operation, Part left, Part right)
    {
        if (++operations_ > most_operations)
            throw tokens_.refuse_more_than(most_operations, "operations");
        return std::make_shared<const Expression>(
            Expression{operation, {}, {}, {}, std::move(left), std::move(right)});
    }

    /// Reads the whole expression, or the contents of parentheses.
    Part inner() { return language_.figures ? sum() : either(); }

    Part either()
    {
        Part left = both();
        while (tokens_.take("or"))
            left = make("or", left, both());
        return left;
    }

    Part both()
    {
        Part left = negated();
        while (tokens_.take("and"))
            left = make("and", left, negated());
        return left;
    }

    Part negated()
    {
        bool negative = false;
        while (tokens_.take("not"))
            negative = !negative;
        const Part part = relation();
        return negative ? make("not", part, nullptr) : part;
    }

    Part relation()
    {
        const Part left = sum();
        for (const char* const operation : relations)
            if (tokens_.take(operation))
                return make(operation, left, sum());
        return left;
    }

    Part related()
    {
        Part part = relation();
        if (std::ranges::find(relations, part->operation) == std::end(relations))
            throw tokens_.refuse("one of <, <=, >, >=, ==, !=");
        return part;
    }

    Part sum()
    {
        return chain({"+", "-"}, [this] { return product(); });
    }

    Part product()
    {
        return chain({"*", "/"}, [this] { return operand(); });
    }

    /// Reads operands with operators of equal precedence between them, from left to right.
    template <typename Operand>
    Part chain(std::initializer_list<const char*> operators, const Operand& operand)
    {
        Part left = operand();
        while (true) {
            const auto taken = std::find_if(operators.begin(), operators.end(),
                                            [this](const char* one) { return tokens_.take(one); });
            if (taken == operators.end())
                return left;
            left = make(*taken, left, operand());
        }
    }

    Part operand()
    {
        if (++depth_ > deepest)
            throw tokens_.refuse_more_than(deepest, "signs and parentheses around a value");
        Part part = tokens_.take("-") ? make("negative", operand(), nullptr) : positive();
        --depth_;
        return part;
    }

    Part positive()
    {
        if (tokens_.take("(")) {
            Part part = inner();
            if (!tokens_.take(")"))
                throw tokens_.refuse("an operator or ')'");
            return part;
        }
        const char next = tokens_.next();
        if (is_digit(next) || next == '.')
            return leaf(tokens_.take_number());
        return language_.figures ? figure() : word();
    }

    Part figure()
    {
        const std::string column = tokens_.take_word();
        if (column.empty() || !tokens_.take("("))
            throw tokens_.refuse("a number or column(point)");
        return leaf(column, tokens_.take_until(')', "a point's name and ')'"));
    }

    Part word()
    {
        for (const char* const quote : {"\"", "'"})
            if (tokens_.take(quote))
                return leaf(
                    value_of_text(tokens_.take_until(*quote, std::string("a text and ") + quote)));
        const std::string name = tokens_.take_word();
        if (name.empty())
            throw tokens_.refuse("a number, a word or a name");
        const bool known = std::ranges::find(language_.axes, name) != language_.axes.end();
        return known || name.find('.') != std::string::npos ? leaf(name, "") : leaf(Value(name));
    }

    Tokens tokens_;
    const Language& language_;
    unsigned depth_ = 0, operations_ = 0;
};

} // namespace

Expression parse(const config::Node& node, const Language& language)
{
    if (!node.is_scalar()) {
        const bool vowel = std::string_view("aeiou").find(language.what[0]) != std::string::npos;
        throw Error(node.place, (vowel ? "an " : "a ") + language.what + " is " +
                                    std::string(node.kind_name()) + "; expected text such as " +
                                    language.example);
    }
    return *Parser(node, language).whole();
}

void each_leaf(const Expression& expression, const std::function<void(const Expression&)>& use)
{
    if (expression.operation.empty())
        return use(expression);
    for (const Part* part : {&expression.left, &expression.right})
        if (*part != nullptr)
            each_leaf(**part, use);
}

} // namespace levee::sweep
