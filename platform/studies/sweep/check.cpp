// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/check.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace levee::sweep {

namespace {

using config::Error;

constexpr unsigned deepest = 16; // parentheses in one another

class Parser {
public:
    Parser(const config::Node& node, std::string what, std::string example)
        : node_(node), text_(node.scalar), what_(std::move(what)), example_(std::move(example))
    {
    }

    Check check()
    {
        Check check;
        check.text = text_;
        check.place = node_.place;
        check.left = sum();
        check.relation = relation();
        check.right = sum();
        if (!at_end())
            throw refuse("the end");
        return check;
    }

    Sum whole_sum()
    {
        Sum terms = sum();
        if (!at_end())
            throw refuse("+, -, *, / or the end");
        return terms;
    }

private:
    [[nodiscard]] Error refuse(const std::string& expected) const
    {
        const std::string rest = text_.substr(at_);
        return {node_.place, "the " + what_ + " '" + text_ + "' has " +
                                 (rest.empty() ? std::string("its end") : "'" + rest + "'") +
                                 " where " + expected + " is expected, as in " + example_};
    }

    bool at_end()
    {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
        return at_ == text_.size();
    }

    bool take(std::string_view word)
    {
        if (at_end() || text_.compare(at_, word.size(), word) != 0)
            return false;
        at_ += word.size();
        return true;
    }

    Check::Relation relation()
    {
        constexpr std::array<std::pair<std::string_view, Check::Relation>, 5> words{
            {{"<=", Check::Relation::LessOrEqual},
             {">=", Check::Relation::GreaterOrEqual},
             {"==", Check::Relation::Equal},
             {"<", Check::Relation::Less},
             {">", Check::Relation::Greater}}};
        for (const auto& [word, relation] : words)
            if (take(word))
                return relation;
        throw refuse("one of <, <=, >, >=, ==");
    }

    Sum sum()
    {
        Sum terms;
        double sign = take("-") ? -1.0 : 1.0;
        while (true) {
            terms.push_back(product(sign));
            if (take("+"))
                sign = 1.0;
            else if (take("-"))
                sign = -1.0;
            else
                return terms;
        }
    }

    Term product(double sign)
    {
        Term term;
        term.factor = sign;
        factor(term, false);
        while (true) {
            if (take("*"))
                factor(term, false);
            else if (take("/"))
                factor(term, true);
            else
                return term;
        }
    }

    void factor(Term& term, bool divides)
    {
        if (at_end())
            throw refuse("a number or column(point)");
        if (const std::optional<double> number = take_number()) {
            term.factor = divides ? term.factor / *number : term.factor * *number;
            return;
        }
        Term::Figure figure;
        figure.divides = divides;
        if (take("("))
            enclosed(figure);
        else
            named(figure);
        term.figures.push_back(std::move(figure));
    }

    /// A number, which begins with a digit or a point; "inf" and "nan" begin names of columns.
    std::optional<double> take_number()
    {
        if (std::isdigit(static_cast<unsigned char>(text_[at_])) == 0 && text_[at_] != '.')
            return std::nullopt;
        double number = 0.0;
        const auto [end, status] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        if (status != std::errc())
            return std::nullopt;
        at_ = static_cast<std::size_t>(end - text_.data());
        return number;
    }

    void enclosed(Term::Figure& figure)
    {
        if (++depth_ > deepest)
            throw refuse("no further '('");
        figure.inner = sum();
        if (!take(")"))
            throw refuse("+, -, *, / or ')'");
        --depth_;
    }

    void named(Term::Figure& figure)
    {
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            figure.column += text_[at_++];
        if (figure.column.empty() || !take("("))
            throw refuse("a number or column(point)");
        const std::size_t close = text_.find(')', at_);
        if (close == std::string::npos)
            throw refuse("a point's name and ')'");
        figure.point = text_.substr(at_, close - at_);
        at_ = close + 1;
    }

    const config::Node& node_;
    const std::string& text_;
    std::string what_, example_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
};

} // namespace

double value_of(const Sum& sum, const FigureOf& figure)
{
    double total = 0.0;
    for (const Term& term : sum) {
        double product = term.factor;
        for (const Term::Figure& operand : term.figures) {
            const double value = operand.inner.empty() ? figure(operand.column, operand.point)
                                                       : value_of(operand.inner, figure);
            product = operand.divides ? product / value : product * value;
        }
        total += product;
    }
    return total;
}

void each_figure(const Sum& sum, const std::function<void(const Term::Figure&)>& use)
{
    for (const Term& term : sum)
        for (const Term::Figure& figure : term.figures)
            if (figure.inner.empty())
                use(figure);
            else
                each_figure(figure.inner, use);
}

Sum parse_sum(const config::Node& node)
{
    const std::string example = "energy(original) / energy(kelle)";
    if (!node.is_scalar())
        throw Error(node.place, "an expression is " + std::string(node.kind_name()) +
                                    "; expected text such as " + example);
    return Parser(node, "expression", example).whole_sum();
}

Check parse_check(const config::Node& node)
{
    if (!node.is_scalar())
        throw Error(node.place, "a check is " + std::string(node.kind_name()) +
                                    "; expected text such as answered(aep/128) >= 0.9");
    return Parser(node, "check", "answered(aep/128) >= 0.9 * answered(full)").check();
}

Verdict judge(const Check& check, const FigureOf& figure)
{
    Verdict verdict;
    verdict.left = value_of(check.left, figure);
    verdict.right = value_of(check.right, figure);
    switch (check.relation) {
    case Check::Relation::Less:
        verdict.holds = verdict.left < verdict.right;
        break;
    case Check::Relation::LessOrEqual:
        verdict.holds = verdict.left <= verdict.right;
        break;
    case Check::Relation::Greater:
        verdict.holds = verdict.left > verdict.right;
        break;
    case Check::Relation::GreaterOrEqual:
        verdict.holds = verdict.left >= verdict.right;
        break;
    case Check::Relation::Equal:
        verdict.holds = verdict.left == verdict.right;
        break;
    }
    return verdict;
}

} // namespace levee::sweep
