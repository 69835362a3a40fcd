// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/jinja/syntax.hpp"

#include "platform/input/import/jinja/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <optional>

namespace levee::jinja {

namespace {

constexpr std::size_t deepest = 100; // nesting of statements and expressions
// Nesting of an operand between two comparisons, since the operand is copied.
constexpr std::size_t deepest_between = 8;

bool among(std::string_view word, std::initializer_list<std::string_view> list)
{
    return std::ranges::find(list, word) != list.end();
}

class Parser {
public:
    explicit Parser(std::vector<Part> parts) : parts_(std::move(parts)) {}

    std::vector<Statement> parse_all()
    {
        std::vector<Statement> body = parse_body({});
        if (part_ < parts_.size())
            fail("'" + parts_[part_].words.front().text + "' has no matching start");
        return body;
    }

private:
    /// Counts one level of nesting while the object exists.
    class Level {
    public:
        explicit Level(Parser& parser) : parser_(parser) { parser_.check_depth(++parser_.depth_); }
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Parser& parser_;
    };

    [[noreturn]] void fail(const std::string& reason) const
    {
        const std::size_t part = std::min(part_, parts_.size() - 1);
        const std::size_t line = part_ < parts_.size() && word_ < parts_[part].words.size()
                                     ? parts_[part].words[word_].line
                                     : parts_[part].line;
        throw Unable("line " + std::to_string(line) + ": " + reason);
    }

    void check_depth(std::size_t depth) const
    {
        if (depth > deepest)
            fail("more than " + std::to_string(deepest) + " levels");
    }

    const Word& word() const { return parts_[part_].words[word_]; }
    bool is_sign(std::string_view sign) const
    {
        return word().kind == WordKind::sign && word().text == sign;
    }
    bool is_name(std::string_view name) const
    {
        return word().kind == WordKind::name && word().text == name;
    }
    bool accept_sign(std::string_view sign)
    {
        const bool found = is_sign(sign);
        word_ += found ? 1 : 0;
        return found;
    }
    bool accept_name(std::string_view name)
    {
        const bool found = is_name(name);
        word_ += found ? 1 : 0;
        return found;
    }
    void expect_sign(std::string_view sign)
    {
        if (!accept_sign(sign))
            fail("'" + word().text + "', expected '" + std::string(sign) + "'");
    }
    std::string expect_name()
    {
        if (word().kind != WordKind::name)
            fail("'" + word().text + "', expected a name");
        return parts_[part_].words[word_++].text;
    }
    /// Returns the next word, a name to which a value is assigned. Jinja does not allow assigning
    /// to 'loop' in a loop.
    std::string expect_target()
    {
        if (among(word().text, {"true", "false", "none", "True", "False", "None", "loop"}))
            fail("'" + word().text + "' cannot be set here");
        return expect_name();
    }
    void end_tag()
    {
        if (word().kind != WordKind::end)
            fail("'" + word().text + "', expected the end of the tag");
        ++part_;
        word_ = 0;
    }

    /// Parses statements up to a tag that begins with one of the names `ends`, without consuming
    /// that tag.
    std::vector<Statement> parse_body(std::initializer_list<std::string_view> ends)
    {
        const Level level(*this);
        std::vector<Statement> body;
        for (; part_ < parts_.size();) {
            const Part& part = parts_[part_];
            word_ = 0;
            if (part.kind == Part::Kind::text) {
                body.push_back({.kind = StatementKind::text, .line = part.line, .name = part.text});
                ++part_;
            } else if (part.kind == Part::Kind::print) {
                Statement print{.kind = StatementKind::print, .line = part.line};
                print.values.push_back(parse_tuple_or_expression());
                end_tag();
                body.push_back(std::move(print));
            } else {
                const std::string name = word().text;
                if (among(name, ends) || name.starts_with("end") || among(name, {"else", "elif"}))
                    break;
                body.push_back(parse_statement());
            }
        }
        return body;
    }

    /// Parses a body that Jinja compiles to a separate function. Break and continue in it cannot
    /// leave a loop around it.
    std::vector<Statement> parse_function(std::initializer_list<std::string_view> ends)
    {
        const std::size_t loops = std::exchange(loops_, 0);
        std::vector<Statement> body = parse_body(ends);
        loops_ = loops;
        return body;
    }

    void end_body(std::string_view name)
    {
        if (part_ >= parts_.size() || !accept_name(name))
            fail("expected '" + std::string(name) + "'");
        end_tag();
    }

    Statement parse_statement()
    {
        Statement statement{.line = parts_[part_].line};
        const std::string name = expect_name();
        if (name == "if")
            parse_condition(statement);
        else if (name == "for")
            parse_loop(statement);
        else if (name == "set")
            parse_assignment(statement);
        else if (name == "macro")
            parse_macro(statement);
        else if (name == "generation")
            parse_group(statement);
        else if (name == "with")
            parse_scope(statement);
        else if (name == "filter")
            parse_filtered(statement);
        else if (name == "break" || name == "continue") {
            if (loops_ == 0)
                fail("'" + name + "' outside a loop");
            statement.kind = name == "break" ? StatementKind::stop : StatementKind::next;
            end_tag();
        } else {
            --word_;
            fail("the statement '" + name + "' is not supported");
        }
        return statement;
    }

    /// Parses an `if` or `elif`. An `elif` becomes the only statement of `otherwise`.
    void parse_condition(Statement& statement)
    {
        const Level level(*this);
        statement.kind = StatementKind::condition;
        statement.values.push_back(parse_expression());
        end_tag();
        statement.body = parse_body({"elif", "else", "endif"});
        if (part_ < parts_.size() && accept_name("elif")) {
            Statement& other = statement.otherwise.emplace_back();
            other.line = parts_[part_].line;
            parse_condition(other);
            return;
        }
        if (part_ < parts_.size() && accept_name("else")) {
            end_tag();
            statement.otherwise = parse_body({"endif"});
        }
        end_body("endif");
    }

    std::vector<std::string> parse_targets()
    {
        std::vector<std::string> names{expect_target()};
        while (accept_sign(","))
            names.push_back(expect_target());
        return names;
    }

    void parse_loop(Statement& statement)
    {
        statement.kind = StatementKind::loop;
        const bool bracketed = accept_sign("(");
        statement.names = parse_targets();
        if (bracketed)
            expect_sign(")");
        if (!accept_name("in"))
            fail("'" + word().text + "', expected 'in'");
        statement.values.push_back(parse_either()); // an `if` after it belongs to the loop
        if (accept_name("if"))
            statement.values.push_back(parse_expression());
        end_tag();
        ++loops_;
        statement.body = parse_body({"else", "endfor"});
        --loops_;
        if (part_ < parts_.size() && accept_name("else")) {
            end_tag();
            statement.otherwise = parse_body({"endfor"});
        }
        end_body("endfor");
    }

    void parse_assignment(Statement& statement)
    {
        statement.names = parse_targets();
        if (accept_sign("."))
            statement.name = expect_name();
        if (!statement.name.empty() && statement.names.size() > 1)
            fail("a member among several targets is not supported");
        if (accept_sign("=")) {
            statement.kind = StatementKind::assignment;
            statement.values.push_back(parse_tuple_or_expression());
            end_tag();
            return;
        }
        statement.kind = StatementKind::capture;
        end_tag();
        statement.body = parse_body({"endset"});
        end_body("endset");
    }

    void parse_macro(Statement& statement)
    {
        statement.kind = StatementKind::macro;
        statement.name = expect_target();
        expect_sign("(");
        while (!is_sign(")")) {
            const std::string name = expect_target();
            if (std::ranges::find(statement.names, name) != statement.names.end())
                fail("two parameters '" + name + "'");
            statement.names.push_back(name);
            if (accept_sign("="))
                statement.values.push_back(parse_expression());
            else if (!statement.values.empty())
                fail("a parameter without a default value follows one that has a default value");
            if (!accept_sign(","))
                break;
        }
        expect_sign(")");
        end_tag();
        const bool outer = std::exchange(in_macro_, true);
        statement.body = parse_function({"endmacro"});
        in_macro_ = outer;
        end_body("endmacro");
    }

    void parse_group(Statement& statement)
    {
        statement.kind = StatementKind::group;
        end_tag();
        statement.body = parse_function({"endgeneration"});
        end_body("endgeneration");
    }

    void parse_filtered(Statement& statement)
    {
        statement.kind = StatementKind::filtered;
        Expression filter = made(ExpressionKind::filter);
        filter.name = expect_name();
        add(filter, made(ExpressionKind::variable, filtered_text));
        if (is_sign("("))
            parse_arguments(filter);
        statement.values.push_back(parse_filters(std::move(filter)));
        end_tag();
        statement.body = parse_body({"endfilter"});
        end_body("endfilter");
    }

    void parse_scope(Statement& statement)
    {
        statement.kind = StatementKind::scope;
        while (word().kind != WordKind::end) {
            statement.names.push_back(expect_target());
            expect_sign("=");
            statement.values.push_back(parse_expression());
            if (!accept_sign(","))
                break;
        }
        end_tag();
        statement.body = parse_body({"endwith"});
        end_body("endwith");
    }

    Expression made(ExpressionKind kind, std::string name = {}) const
    {
        return {.kind = kind, .line = word().line, .name = std::move(name)};
    }

    /// Updates the depth of `whole` after adding `part`. Chains of operators also nest, even
    /// without brackets.
    void deepen(Expression& whole, const Expression& part) const
    {
        whole.depth = std::max(whole.depth, part.depth + 1);
        check_depth(whole.depth);
    }

    void add(Expression& whole, Expression part) const
    {
        deepen(whole, part);
        whole.parts.push_back(std::move(part));
    }

    template <class... Parts> Expression with(Expression made, Parts... parts) const
    {
        (add(made, std::move(parts)), ...);
        return made;
    }

    Expression constant(Value value) const
    {
        Expression result = made(ExpressionKind::constant);
        result.value = std::move(value);
        return result;
    }

    /// Parses an expression, or several expressions separated by commas, which form a tuple.
    Expression parse_tuple_or_expression()
    {
        Expression first = parse_expression();
        if (!is_sign(","))
            return first;
        Expression list = with(made(ExpressionKind::tuple), std::move(first));
        while (accept_sign(","))
            if (word().kind != WordKind::end && !is_sign(")"))
                add(list, parse_expression());
        return list;
    }

    Expression parse_expression()
    {
        const Level level(*this);
        Expression value = parse_either();
        while (is_name("if")) {
            Expression choice = made(ExpressionKind::choice);
            ++word_;
            Expression condition = parse_either();
            Expression other = accept_name("else") ? parse_expression() : constant({Undefined{}});
            value =
                with(std::move(choice), std::move(condition), std::move(value), std::move(other));
        }
        return value;
    }

    Expression parse_either()
    {
        const Level level(*this);
        Expression value = parse_both();
        while (is_name("or")) {
            Expression either = made(ExpressionKind::either);
            ++word_;
            value = with(std::move(either), std::move(value), parse_both());
        }
        return value;
    }

    Expression parse_both()
    {
        Expression value = parse_negation();
        while (is_name("and")) {
            Expression both = made(ExpressionKind::both);
            ++word_;
            value = with(std::move(both), std::move(value), parse_negation());
        }
        return value;
    }

    Expression parse_negation()
    {
        const Level level(*this);
        if (!is_name("not"))
            return parse_comparison();
        Expression negation = made(ExpressionKind::negation);
        ++word_;
        return with(std::move(negation), parse_negation());
    }

    bool is_comparison() const
    {
        return is_name("in") || (is_name("not") && parts_[part_].words[word_ + 1].text == "in") ||
               (word().kind == WordKind::sign &&
                among(word().text, {"==", "!=", "<", "<=", ">", ">="}));
    }

    Expression parse_comparison()
    {
        Expression left = parse_operation(0);
        if (!is_comparison())
            return left;
        std::optional<Expression> all;
        while (is_comparison()) {
            const bool not_in = is_name("not");
            Expression operation = made(ExpressionKind::operation, not_in ? "in" : word().text);
            word_ += not_in ? 2 : 1;
            Expression right = parse_operation(0);
            Expression next{}; // left side of a further comparison, as in a < b < c
            if (is_comparison()) {
                if (right.depth > deepest_between)
                    fail("more than " + std::to_string(deepest_between) +
                         " levels between two comparisons");
                next = right;
            }
            operation = with(std::move(operation), std::move(left), std::move(right));
            left = std::move(next);
            if (not_in)
                operation = with(made(ExpressionKind::negation), std::move(operation));
            all = all ? with(made(ExpressionKind::both), std::move(*all), std::move(operation))
                      : std::move(operation);
        }
        return std::move(*all);
    }

    /// Parses a chain of binary operators of one precedence level. Their operands are expressions
    /// of the next level.
    Expression parse_operation(std::size_t level)
    {
        static constexpr std::array<std::string_view, 4> levels{"+ -", "~", "* / // %", "**"};
        if (level == levels.size())
            return parse_signed();
        const auto here = [&] {
            if (word().kind != WordKind::sign)
                return false;
            const std::string listed = " " + std::string(levels.at(level)) + " ";
            return listed.find(" " + word().text + " ") != std::string::npos;
        };
        Expression left = parse_operation(level + 1);
        while (here()) {
            Expression operation = made(ExpressionKind::operation, word().text);
            ++word_;
            left = with(std::move(operation), std::move(left), parse_operation(level + 1));
        }
        return left;
    }

    Expression parse_signed() { return parse_filters(parse_sign()); }

    Expression parse_sign()
    {
        const Level level(*this);
        const bool is_plus = is_sign("+");
        if (!is_plus && !is_sign("-"))
            return parse_postfixes(parse_primary());
        Expression minus = made(ExpressionKind::minus);
        ++word_;
        Expression negated = with(minus, parse_sign());
        return is_plus ? with(std::move(minus), std::move(negated)) : negated;
    }

    Expression parse_primary()
    {
        const Word& here = word();
        if (here.kind == WordKind::text) {
            std::string text;
            while (word().kind == WordKind::text) // adjacent string literals form one text, as in
                                                  // Python
                text += parts_[part_].words[word_++].text;
            return constant({std::move(text)});
        }
        if (here.kind == WordKind::whole || here.kind == WordKind::real)
            return parse_number();
        if (here.kind == WordKind::name) {
            ++word_;
            if (among(here.text, {"true", "True"}))
                return constant({true});
            if (among(here.text, {"false", "False"}))
                return constant({false});
            if (among(here.text, {"none", "None"}))
                return constant({None{}});
            if (here.text == "self")
                fail("'self' is not known here");
            if (in_macro_ && among(here.text, {"varargs", "kwargs", "caller"}))
                fail("'" + here.text + "' of a macro is not supported");
            return made(ExpressionKind::variable, here.text);
        }
        if (accept_sign("(")) {
            Expression inner =
                is_sign(")") ? made(ExpressionKind::tuple) : parse_tuple_or_expression();
            expect_sign(")");
            return inner;
        }
        if (accept_sign("["))
            return parse_members(ExpressionKind::list, "]");
        if (accept_sign("{"))
            return parse_members(ExpressionKind::map, "}");
        fail("'" + here.text + "', expected an expression");
    }

    Expression parse_number()
    {
        const std::string text = parts_[part_].words[word_].text;
        const bool is_whole = word().kind == WordKind::whole;
        std::int64_t whole = 0;
        double real = 0;
        const auto* const end = text.data() + text.size();
        const auto result = is_whole ? std::from_chars(text.data(), end, whole)
                                     : std::from_chars(text.data(), end, real);
        if (result.ec != std::errc{})
            fail("'" + text + "', expected a number of 64 bits");
        if (is_whole && whole != 0 && text.starts_with('0'))
            fail("'" + text + "', expected an integer without a leading 0");
        ++word_;
        return is_whole ? constant({whole}) : constant({real});
    }

    Expression parse_members(ExpressionKind kind, std::string_view end)
    {
        Expression whole = made(kind);
        while (!is_sign(end)) {
            add(whole, parse_expression());
            if (kind == ExpressionKind::map) {
                expect_sign(":");
                add(whole, parse_expression());
            }
            if (!accept_sign(","))
                break;
        }
        expect_sign(end);
        return whole;
    }

    Expression parse_postfixes(Expression value)
    {
        while (true) {
            if (is_sign(".")) {
                ++word_;
                if (word().kind == WordKind::whole) {
                    Expression item = made(ExpressionKind::item);
                    value = with(std::move(item), std::move(value), parse_number());
                } else {
                    Expression attribute = made(ExpressionKind::attribute);
                    attribute.name = expect_name();
                    value = with(std::move(attribute), std::move(value));
                }
            } else if (accept_sign("[")) {
                value = parse_item(std::move(value));
            } else if (is_sign("(")) {
                value = parse_call(std::move(value));
            } else {
                return value;
            }
        }
    }

    Expression parse_item(Expression whole)
    {
        const auto bound = [&] {
            return is_sign(":") || is_sign("]") ? constant({None{}}) : parse_expression();
        };
        Expression first = bound();
        if (accept_sign("]"))
            return with(made(ExpressionKind::item), std::move(whole), std::move(first));
        expect_sign(":");
        Expression last = bound();
        Expression step = accept_sign(":") ? bound() : constant({None{}});
        expect_sign("]");
        return with(made(ExpressionKind::slice), std::move(whole), std::move(first),
                    std::move(last), std::move(step));
    }

    /// Parses arguments in parentheses and adds them to `call`.
    void parse_arguments(Expression& call)
    {
        using Named = std::pair<std::string, Expression>;
        expect_sign("(");
        while (!is_sign(")")) {
            const Word* const next = &parts_[part_].words[word_] + 1;
            if (word().kind == WordKind::name && next->kind == WordKind::sign &&
                next->text == "=") {
                const std::string name = expect_name();
                expect_sign("=");
                if (std::ranges::find(call.named, name, &Named::first) != call.named.end())
                    fail("two arguments '" + name + "'");
                call.named.emplace_back(name, parse_expression());
                deepen(call, call.named.back().second);
            } else {
                if (!call.named.empty())
                    fail("an argument without a name follows one with a name");
                add(call, parse_expression());
            }
            if (!accept_sign(","))
                break;
        }
        expect_sign(")");
    }

    Expression parse_call(Expression function)
    {
        Expression call = with(made(ExpressionKind::call), std::move(function));
        parse_arguments(call);
        return call;
    }

    Expression parse_filters(Expression value)
    {
        while (true) {
            if (accept_sign("|")) {
                Expression filter = made(ExpressionKind::filter);
                filter.name = expect_name();
                add(filter, std::move(value));
                if (is_sign("("))
                    parse_arguments(filter);
                value = std::move(filter);
            } else if (accept_name("is")) {
                value = parse_test(std::move(value));
            } else {
                return value;
            }
        }
    }

    Expression parse_test(Expression value)
    {
        const bool negated = accept_name("not");
        Expression test = made(ExpressionKind::test);
        test.name = expect_name();
        add(test, std::move(value));
        if (word().kind == WordKind::name && among(word().text, {"is", "if", "not", "in"}))
            fail("'" + word().text +
                 "' must not follow a test"); // Jinja would take it as an argument
        if (is_sign("("))
            parse_arguments(test);
        else if (word().kind == WordKind::text || word().kind == WordKind::whole ||
                 word().kind == WordKind::real || is_sign("[") || is_sign("{") ||
                 (word().kind == WordKind::name && !among(word().text, {"and", "or", "else"})))
            add(test, parse_postfixes(parse_primary()));
        return negated ? with(made(ExpressionKind::negation), std::move(test)) : test;
    }

    std::vector<Part> parts_;
    std::size_t part_ = 0, word_ = 0;
    std::size_t depth_ = 0;
    std::size_t loops_ = 0; ///< number of loops that a break or a continue could leave
    bool in_macro_ = false;
};

} // namespace

std::vector<Statement> parse(std::string_view text)
{
    std::vector<Part> parts = parts_of(text);
    return parts.empty() ? std::vector<Statement>{} : Parser(std::move(parts)).parse_all();
}

} // namespace levee::jinja
