// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/jinja/arithmetic.hpp"

#include "platform/input/import/jinja/builtins.hpp"

#include <algorithm>
#include <limits>

namespace levee::jinja {

namespace {

bool is_number(const Value& value)
{
    return is_whole(value) || value.as<double>() != nullptr;
}

double real_of(const Value& number)
{
    const auto* const real = number.as<double>();
    return real != nullptr ? *real : static_cast<double>(whole_of(number));
}

void check_items(std::size_t items)
{
    if (items > most_items)
        throw Unable("makes a list of more items than " + std::to_string(most_items));
}

Value joined_lists(const Value& left, const Value& right)
{
    List both = *left.list();
    check_items(both.size() + right.list()->size());
    both.insert(both.end(), right.list()->begin(), right.list()->end());
    return left.as<Tuple>() != nullptr ? of_tuple(std::move(both)) : of_list(std::move(both));
}

/// Returns a text or a list repeated `times` times, like Python's `*`.
Value repeated(const Value& whole, std::int64_t times)
{
    const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(times, 0, most_bytes + 1));
    if (const std::string* const text = whole.text()) {
        check_bytes(text->size() * count);
        std::string result;
        for (std::size_t i = 0; i < count && !text->empty(); ++i)
            result += *text;
        return {result};
    }
    if (whole.list() == nullptr)
        throw Raised("'*' does not apply to these values");
    check_items(whole.list()->size() * count);
    std::size_t bytes = 0;
    for (const Value& item : *whole.list())
        check_bytes((bytes += own_bytes(item)) * count);
    List list;
    for (std::size_t i = 0; i < count && !whole.list()->empty(); ++i)
        list.insert(list.end(), whole.list()->begin(), whole.list()->end());
    return whole.as<Tuple>() != nullptr ? of_tuple(std::move(list)) : of_list(std::move(list));
}

Value power(std::int64_t base, std::int64_t exponent)
{
    if (exponent < 0 || exponent > 62)
        throw Unable("'**' supports only exponents from 0 to 62");
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < exponent; ++i) {
        check_32({result});
        result *= base;
    }
    return {result};
}

/// Computes with numbers of 32 bits, so that no result overflows. Quotients are rounded down, as in
/// Python.
Value arithmetic(const std::string& sign, std::int64_t left, std::int64_t right)
{
    check_32({left, right});
    if (sign == "+")
        return {left + right};
    if (sign == "-")
        return {left - right};
    if (sign == "*")
        return {left * right};
    if (sign == "**")
        return power(left, right);
    if (right == 0)
        throw Raised("a division by 0");
    const std::int64_t rest = ((left % right) + right) % right;
    if (sign == "%")
        return {rest};
    if (sign == "//")
        return {(left - rest) / right};
    return {static_cast<double>(left) / static_cast<double>(right)};
}

Value arithmetic(const std::string& sign, double left, double right)
{
    if (sign == "+")
        return {left + right};
    if (sign == "-")
        return {left - right};
    if (sign == "*")
        return {left * right};
    if (sign != "/")
        throw Unable("'" + sign + "' supports only integers");
    if (right == 0)
        throw Raised("a division by 0");
    return {left / right};
}

} // namespace

void check_32(std::initializer_list<std::int64_t> numbers)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (const std::int64_t number : numbers)
        if (number > most || number < -most)
            throw Unable("arithmetic supports only numbers of 32 bits");
}

Value negative(const Value& value)
{
    if (const auto* const real = value.as<double>())
        return {-*real};
    return {-whole_of(value)};
}

Value joined_texts(const std::string& left, const std::string& right)
{
    check_bytes(left.size() + right.size());
    return {left + right};
}

Value operated(const std::string& sign, const Value& left, const Value& right)
{
    for (const Value* const side : {&left, &right})
        if (const auto* const undefined = side->as<Undefined>())
            throw Raised("'" + undefined->name + "' is undefined");
    if (sign == "-" && left.as<View>() != nullptr)
        throw Unable("'-' of a view");
    if (sign == "%" && left.text() != nullptr)
        throw Unable("'%' of a text");
    if (sign == "+" && left.text() != nullptr && right.text() != nullptr)
        return joined_texts(*left.text(), *right.text());
    if (sign == "+" && left.list() != nullptr && left.is.index() == right.is.index())
        return joined_lists(left, right);
    if (sign == "*" && is_whole(left) && !is_number(right))
        return repeated(right, whole_of(left));
    if (sign == "*" && is_whole(right) && !is_number(left))
        return repeated(left, whole_of(right));
    if (!is_number(left) || !is_number(right))
        throw Raised("'" + sign + "' does not apply to these values");
    return is_whole(left) && is_whole(right) ? arithmetic(sign, whole_of(left), whole_of(right))
                                             : arithmetic(sign, real_of(left), real_of(right));
}

} // namespace levee::jinja
