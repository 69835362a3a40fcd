// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/jinja/render.hpp"

#include "platform/input/import/jinja/arithmetic.hpp"
#include "platform/input/import/jinja/builtins.hpp"
#include "platform/input/import/jinja/syntax.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <utility>

namespace levee::jinja {

namespace {

// Limits far above any published template, so that the rendering of a hostile template ends.
constexpr std::size_t most_steps = 200'000;
constexpr std::size_t deepest_calls = 20;
constexpr std::size_t deepest_values = 8;   // nesting of lists, maps and methods
constexpr std::size_t deepest_levels = 500; // nesting of statements, expressions and calls
constexpr std::size_t most_nestings =
    100; // number of lists and maps set as members, which could form chains
constexpr std::size_t pairs_of_step = 64; // pairs of elements that count as one step
constexpr std::size_t bytes_of_step = 16; // bytes of text that count as one step

enum class Flow { on, stop, next };

class Renderer {
public:
    explicit Renderer(const Map& variables)
    {
        frames_.emplace_back(variables.begin(), variables.end());
    }

    std::string render(const std::vector<Statement>& body)
    {
        (void)run(body);
        return std::move(out_);
    }

private:
    using Frame = std::map<std::string, Value>;

    void step(std::size_t count = 1)
    {
        steps_ += count;
        if (steps_ > most_steps)
            throw Unable("takes more than " + std::to_string(most_steps) + " steps");
    }

    /// Counts the steps for visiting a value and its parts. Throws Unable for a value that contains
    /// `holder`, or that is nested too deeply. A method contains the value that it belongs to.
    void go_through(const Value& value, const Map* holder = nullptr, std::size_t depth = 0)
    {
        step();
        const auto* const space = value.as<Namespace>();
        const Map* const map = space != nullptr ? space->members.get() : value.map();
        if (depth > deepest_values || (holder != nullptr && map == holder))
            throw Unable("lists or maps are nested more than " + std::to_string(deepest_values) +
                         " levels deep, or contain themselves");
        step(own_bytes(value) / bytes_of_step);
        if (const List* const list = value.elements())
            for (const Value& item : *list)
                go_through(item, holder, depth + 1);
        if (map != nullptr)
            for (const auto& [key, item] : *map) {
                step(key.size() / bytes_of_step);
                go_through(item, holder, depth + 1);
            }
        if (const auto* const method = value.as<Function>(); method != nullptr && method->self)
            go_through(*method->self, holder, depth + 1);
    }

    static bool has_parts(const Value& value)
    {
        const auto* const method = value.as<Function>();
        return value.elements() != nullptr || value.map() != nullptr ||
               value.as<Namespace>() != nullptr || (method != nullptr && method->self);
    }

    /// Returns the number of steps that go_through() counts for a value.
    std::size_t size_of(const Value& value)
    {
        const std::size_t before = steps_;
        go_through(value);
        return steps_ - before;
    }

    /// Counts the steps of a search in a value, which may compare each part of the value with each
    /// part of the argument.
    void search(const Value& value, const Value& argument)
    {
        step(size_of(value) * size_of(argument) / pairs_of_step);
    }

    void search(const Value& value, const Arguments& arguments)
    {
        for (const Value& argument : arguments.listed)
            search(value, argument);
        for (const auto& [name, argument] : arguments.named)
            search(value, argument);
    }

    /// Counts one level of evaluation while the object exists.
    class Level {
    public:
        explicit Level(std::size_t& levels) : levels_(levels)
        {
            if (++levels_ > deepest_levels)
                throw Unable("takes more than " + std::to_string(deepest_levels) + " levels");
        }
        ~Level() { --levels_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        std::size_t& levels_;
    };

    /// Evaluates an expression, and counts the steps for visiting its value.
    Value operand(const Expression& expression)
    {
        Value value = evaluate(expression);
        go_through(value);
        return value;
    }

    void put(const std::string& text)
    {
        check_bytes(out_.size() + text.size());
        step(text.size() / bytes_of_step);
        out_ += text;
    }

    /// Returns a reason with the line of the innermost statement in front.
    static std::string placed(const std::string& reason, std::size_t line)
    {
        return reason.starts_with("line ") ? reason
                                           : "line " + std::to_string(line) + ": " + reason;
    }

    Flow run(const std::vector<Statement>& body)
    {
        const Level level(levels_);
        for (const Statement& statement : body) {
            step();
            try {
                const Flow flow = run(statement);
                if (flow != Flow::on)
                    return flow;
            } catch (const Unable& error) {
                throw Unable(placed(error.what(), statement.line));
            } catch (const Raised& error) {
                if (error.own)
                    throw;
                throw Raised(placed(error.what(), statement.line));
            }
        }
        return Flow::on;
    }

    Flow run(const Statement& statement)
    {
        switch (statement.kind) {
        case StatementKind::text:
            put(statement.name);
            break;
        case StatementKind::print:
            print(statement.values[0]);
            break;
        case StatementKind::filtered:
            return put_filtered(statement);
        case StatementKind::condition:
            return run(truth(operand(statement.values[0])) ? statement.body : statement.otherwise);
        case StatementKind::loop:
            return run_loop(statement);
        case StatementKind::assignment:
            assign(statement);
            break;
        case StatementKind::capture:
            return capture(statement);
        case StatementKind::macro:
            if (frames_.size() > 1)
                throw Unable("a macro inside a loop, a block or another macro is not supported");
            frames_.back()[statement.name] = {std::make_shared<const Macro>(Macro{&statement})};
            break;
        case StatementKind::group:
        case StatementKind::scope:
            return run_scope(statement);
        case StatementKind::stop:
            return Flow::stop;
        case StatementKind::next:
            return Flow::next;
        }
        return Flow::on;
    }

    Flow run_scope(const Statement& scope)
    {
        Frame frame;
        for (std::size_t i = 0; i < scope.names.size(); ++i)
            frame[scope.names[i]] = operand(scope.values[i]);
        frames_.push_back(std::move(frame));
        const Flow flow = run(scope.body);
        frames_.pop_back();
        return flow;
    }

    /// Jinja's filter `safe` has an effect only when a text is joined with others. It is therefore
    /// skipped as the last filter of a printed expression.
    void print(const Expression& expression)
    {
        const bool safe = expression.kind == ExpressionKind::filter && expression.name == "safe" &&
                          expression.parts.size() == 1 && expression.named.empty();
        put(printed(operand(safe ? expression.parts[0] : expression)));
    }

    /// After a break or a continue, the text of the body is dropped, here and in capture().
    Flow put_filtered(const Statement& statement)
    {
        frames_.emplace_back();
        auto [text, flow] = captured(statement.body);
        frames_.back()[filtered_text] = {std::move(text)};
        if (flow == Flow::on)
            put(printed(operand(statement.values[0])));
        frames_.pop_back();
        return flow;
    }

    Flow capture(const Statement& statement)
    {
        frames_.emplace_back();
        auto [text, flow] = captured(statement.body);
        frames_.pop_back();
        if (flow == Flow::on)
            store(statement, {std::move(text)});
        return flow;
    }

    std::pair<std::string, Flow> captured(const std::vector<Statement>& body)
    {
        std::string outer = std::exchange(out_, {});
        const Flow flow = run(body);
        return {std::exchange(out_, std::move(outer)), flow};
    }

    /// Assigns a value to a single name, or the items of a list to several names.
    void bind(const std::vector<std::string>& names, const Value& value)
    {
        if (names.size() == 1) {
            frames_.back()[names[0]] = value;
            return;
        }
        const List list = items(value);
        if (list.size() != names.size())
            throw Raised("expected " + std::to_string(names.size()) + " values, one for each name");
        for (std::size_t i = 0; i < names.size(); ++i)
            frames_.back()[names[i]] = list[i];
    }

    void assign(const Statement& statement)
    {
        const Value value = evaluate(statement.values[0]);
        go_through(value);
        store(statement, value);
    }

    /// Stores a value in the names of a statement, or in a member of a namespace.
    void store(const Statement& statement, const Value& value)
    {
        if (statement.name.empty()) {
            bind(statement.names, value);
            return;
        }
        const Value target = lookup(statement.names[0]);
        const auto* const space = target.as<Namespace>();
        if (space == nullptr)
            throw Raised("only namespaces have members that can be set");
        Map* const map = space->members.get();
        go_through(value, map);
        if (has_parts(value) && ++nestings_ > most_nestings)
            throw Unable("sets members of namespaces to lists or maps more than " +
                         std::to_string(most_nestings) + " times");
        step(map->size() / pairs_of_step);
        for (auto& [name, held] : *map)
            if (name == statement.name) {
                held = value;
                return;
            }
        map->emplace_back(statement.name, value);
    }

    /// Returns the items of a loop for which the loop's condition is true.
    List turns_of(const Statement& loop, const Value& whole)
    {
        List all = items_in_turn(whole);
        if (loop.values.size() > 1)
            std::erase_if(all, [&](const Value& item) {
                bind(loop.names, item);
                return !truth(operand(loop.values[1]));
            });
        return all;
    }

    /// Runs one iteration of a loop. Variables that are set in it are dropped at its end.
    Flow run_turn(const Statement& loop, const List& all, std::size_t i)
    {
        step();
        frames_.back().clear();
        bind(loop.names, all[i]);
        // Jinja evaluates the condition before each iteration. Levee has evaluated all before the
        // first one, so a different value now is an error.
        if (loop.values.size() > 1 && !truth(operand(loop.values[1])))
            throw Unable("a loop whose body changes the loop's condition is not supported");
        frames_.back()["loop"] = place_in(all, i);
        return run(loop.body);
    }

    Flow run_loop(const Statement& loop)
    {
        const Value whole = operand(loop.values[0]);
        frames_.emplace_back();
        const List all = turns_of(loop, whole);
        bool has_ended_turn = false;
        Flow flow = Flow::on;
        for (std::size_t i = 0; i < all.size() && flow != Flow::stop; ++i) {
            flow = run_turn(loop, all, i);
            has_ended_turn = has_ended_turn || flow == Flow::on;
        }
        frames_.pop_back();
        if (const auto* const given = whole.as<Iterator>(); given != nullptr && flow != Flow::stop)
            given->left->begun = false;
        return has_ended_turn ? Flow::on : run_otherwise(loop);
    }

    /// Runs the loop's `else`. In Jinja it runs unless an iteration reached its end, so also if
    /// each one ended with break or continue.
    Flow run_otherwise(const Statement& loop)
    {
        frames_.emplace_back();
        const Flow flow = run(loop.otherwise);
        frames_.pop_back();
        return flow;
    }

    static Value place_in(const List& all, std::size_t i)
    {
        const auto index = static_cast<std::int64_t>(i);
        const auto count = static_cast<std::int64_t>(all.size());
        Map loop{{"index0", {index}},
                 {"index", {index + 1}},
                 {"revindex0", {count - index - 1}},
                 {"revindex", {count - index}},
                 {"first", {i == 0}},
                 {"last", {i + 1 == all.size()}},
                 {"length", {count}},
                 {"depth0", {std::int64_t{0}}},
                 {"depth", {std::int64_t{1}}},
                 {"cycle", {Function{"cycle", std::make_shared<const Value>(Value{index})}}},
                 {"changed", {Function{"changed", std::make_shared<const Value>(Value{index})}}}};
        if (i > 0)
            loop.emplace_back("previtem", all[i - 1]);
        if (i + 1 < all.size())
            loop.emplace_back("nextitem", all[i + 1]);
        return {Namespace{std::make_shared<Map>(std::move(loop))}};
    }

    Value lookup(const std::string& name) const
    {
        for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
            if (const auto found = frame->find(name); found != frame->end())
                return found->second;
        return is_function(name) ? Value{Function{name}} : Value{Undefined{name}};
    }

    Value evaluate(const Expression& expression)
    {
        const Level level(levels_);
        step();
        const auto part = [&](std::size_t i) { return operand(expression.parts[i]); };
        switch (expression.kind) {
        case ExpressionKind::constant:
            return expression.value;
        case ExpressionKind::variable:
            return lookup(expression.name);
        case ExpressionKind::list:
        case ExpressionKind::tuple: {
            const bool is_list = expression.kind == ExpressionKind::list;
            List parts = all(expression.parts);
            Value made = is_list ? of_list(std::move(parts)) : of_tuple(std::move(parts));
            go_through(made);
            return made;
        }
        case ExpressionKind::map:
            return map_of(expression);
        case ExpressionKind::attribute:
            return attribute(part(0), expression.name);
        case ExpressionKind::item:
            return item(part(0), part(1));
        case ExpressionKind::slice:
            return slice(part(0), part(1), part(2), part(3));
        case ExpressionKind::call:
            return call(expression);
        case ExpressionKind::filter:
        case ExpressionKind::test:
            return filtered(expression);
        case ExpressionKind::negation:
            return {!truth(part(0))};
        case ExpressionKind::minus:
            return negative(part(0));
        case ExpressionKind::both: {
            Value left = part(0);
            return truth(left) ? part(1) : left;
        }
        case ExpressionKind::either: {
            Value left = part(0);
            return truth(left) ? left : part(1);
        }
        case ExpressionKind::operation:
            return operation(expression.name, part(0), part(1));
        case ExpressionKind::choice:
            return truth(part(0)) ? part(1) : part(2);
        }
        return {};
    }

    List all(std::span<const Expression> parts)
    {
        List list;
        for (const Expression& part : parts)
            list.push_back(operand(part));
        return list;
    }

    Value map_of(const Expression& expression)
    {
        MapBuilder map;
        for (std::size_t i = 0; i < expression.parts.size(); i += 2) {
            const std::string key = text_of_key(operand(expression.parts[i]));
            map.set(key, operand(expression.parts[i + 1]));
        }
        Value made = of_map(map.take());
        go_through(made);
        return made;
    }

    Map evaluated(const std::vector<std::pair<std::string, Expression>>& named)
    {
        Map values;
        for (const auto& [name, expression] : named)
            values.emplace_back(name, operand(expression));
        return values;
    }

    Value call(const Expression& expression)
    {
        const Value function = evaluate(expression.parts[0]);
        if (const auto* const method = function.as<Function>(); method != nullptr && method->self)
            go_through(*method->self);
        const List listed = all(std::span(expression.parts).subspan(1));
        const Map named = evaluated(expression.named);
        const Arguments arguments{listed, named};
        if (const auto* const macro = function.as<std::shared_ptr<const Macro>>())
            return {call_macro(*(*macro)->definition, arguments)};
        const auto* const known = function.as<Function>();
        if (known == nullptr) {
            const Expression& called = expression.parts[0];
            if (function.defined())
                throw Raised("the called value is not a function");
            if (called.kind != ExpressionKind::variable)
                throw Raised("'" + called.name + "' is undefined");
            throw Unable("the function '" + called.name + "' is not supported");
        }
        if (!known->self)
            return call_function(known->name, arguments);
        search(*known->self, arguments);
        return call_method(*known->self, known->name, arguments);
    }

    std::string call_macro(const Statement& macro, const Arguments& arguments)
    {
        if (++calls_ > deepest_calls)
            throw Unable("macros call each other more than " + std::to_string(deepest_calls) +
                         " deep");
        // A macro can use the outermost variables and its own variables, and no others.
        std::vector<Frame> outer = std::exchange(frames_, {});
        frames_.push_back(std::move(outer.front()));
        frames_.push_back(given_to(macro, arguments));
        const std::size_t required = macro.names.size() - macro.values.size();
        for (std::size_t i = std::max(required, arguments.listed.size()); i < macro.names.size();
             ++i)
            if (arguments.find(macro.names[i]) == nullptr)
                frames_.back()[macro.names[i]] = operand(macro.values[i - required]);
        std::string text = captured(macro.body).first;
        outer.front() = std::move(frames_.front());
        frames_ = std::move(outer);
        --calls_;
        return text;
    }

    /// Returns the parameters with their arguments. Parameters without an argument stay undefined
    /// until their default values are set, in order.
    static Frame given_to(const Statement& macro, const Arguments& arguments)
    {
        const std::size_t listed = arguments.listed.size();
        if (listed > macro.names.size())
            throw Raised("too many arguments for the macro '" + macro.name + "'");
        Frame frame;
        for (std::size_t i = 0; i < macro.names.size(); ++i)
            frame[macro.names[i]] =
                i < listed ? arguments.listed[i] : Value{Undefined{macro.names[i]}};
        for (const auto& [name, value] : arguments.named) {
            if (std::ranges::find(std::span(macro.names).subspan(listed), name) ==
                std::span(macro.names).end())
                throw Raised("the macro '" + macro.name + "' takes no argument '" + name + "'");
            frame[name] = value;
        }
        return frame;
    }

    Value filtered(const Expression& expression)
    {
        const Value value = operand(expression.parts[0]);
        const List listed = all(std::span(expression.parts).subspan(1));
        const Map named = evaluated(expression.named);
        const Arguments arguments{listed, named};
        search(value, arguments);
        if (expression.kind == ExpressionKind::test)
            return {passes_test(expression.name, value, arguments)};
        return apply_filter(expression.name, value, arguments);
    }

    Value operation(const std::string& sign, const Value& left, const Value& right)
    {
        const auto is_container = [](const Value& value) {
            return value.elements() != nullptr || value.map() != nullptr;
        };
        if (sign == "in" || (is_container(left) && is_container(right)))
            search(left, right);
        if (sign == "==" || sign == "!=")
            return {equal(left, right) == (sign == "==")};
        if (sign == "in")
            return {contains(right, left)};
        if (sign == "<" || sign == "<=" || sign == ">" || sign == ">=") {
            const int found = order(left, right);
            return {(found == 0 && sign.size() == 2) || (sign[0] == '<' ? found < 0 : found > 0)};
        }
        if (sign == "~")
            return joined_texts(printed(left), printed(right));
        return operated(sign, left, right);
    }

    std::vector<Frame> frames_;
    std::string out_;
    std::size_t steps_ = 0;
    std::size_t calls_ = 0;
    std::size_t levels_ = 0;
    std::size_t nestings_ = 0;
};

} // namespace

std::string render(std::string_view text, const Map& variables)
{
    if (text.size() > most_bytes)
        throw Unable("the template has more than " + std::to_string(most_bytes) + " bytes");
    const std::vector<Statement> body = parse(text);
    return Renderer(variables).render(body);
}

} // namespace levee::jinja
