// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/trace_window.hpp"

#include "core/abi/tag_names.h"
#include "core/config/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace levee::trace {

namespace {

std::invalid_argument no_window(const std::string& text, const std::string& reason)
{
    return std::invalid_argument("'@" + text + "' is not a part of a run: " + reason +
                                 "; expected times such as @1ms..2ms (either may be left out), "
                                 "@token:5, @token:5..8 or @layer:3");
}

std::uint64_t time(const std::string& text, std::string_view part, std::uint64_t otherwise)
{
    if (part.empty())
        return otherwise;
    const config::QuantityResult read =
        config::parse_quantity(std::string(part), config::Dimension::Time);
    if (!read.error.empty())
        throw no_window(text, "'" + std::string(part) + "' " + read.error);
    return read.value;
}

std::uint32_t number(const std::string& text, std::string_view part)
{
    constexpr std::uint32_t most = LEVEE_TAG_NO_LAYER - 1;
    std::uint32_t value = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (part.empty() || status != std::errc() || end != part.data() + part.size() || value > most)
        throw no_window(text, "'" + std::string(part) + "' is not a number from 0 to " +
                                  std::to_string(most));
    return value;
}

} // namespace

void add_window(WindowPlan& plan, const std::string& text)
{
    constexpr std::string_view token = "token:", layer = "layer:", between = "..";
    const std::string_view view = text;
    const std::size_t dots = view.find(between);
    if (view.starts_with(layer)) {
        plan.layer = number(text, view.substr(layer.size()));
    } else if (view.starts_with(token)) {
        const std::string_view first = view.substr(token.size(), dots - token.size());
        plan.tokens = {number(text, first), number(text, first)};
        if (dots != std::string_view::npos)
            plan.tokens->last = number(text, view.substr(dots + between.size()));
        if (plan.tokens->last < plan.tokens->first)
            throw no_window(text, "it ends before it begins");
    } else {
        if (dots == std::string_view::npos)
            throw no_window(text, "it has no '..'");
        plan.from_ps = time(text, view.substr(0, dots), 0);
        plan.to_ps = time(text, view.substr(dots + between.size()), UINT64_MAX);
        if (plan.to_ps <= plan.from_ps)
            throw no_window(text, "it ends before it begins");
    }
}

Window::Window(const WindowPlan& plan) : plan_(plan)
{
    update(0);
}

void Window::token(std::uint32_t number, std::uint64_t ps)
{
    next_token_ = std::max(next_token_, number + 1);
    update(ps);
}

void Window::began(std::uint32_t tag, std::uint64_t ps)
{
    if (!plan_.layer)
        return;
    const bool own = tag >> 8 == *plan_.layer;
    if (own)
        ++running_;
    in_layer_ = own || running_ != 0;
    had_layer_ = had_layer_ || own;
    update(ps);
}

void Window::ended(std::uint32_t tag)
{
    if (plan_.layer && tag >> 8 == *plan_.layer)
        --running_;
}

void Window::update(std::uint64_t ps)
{
    const bool is_open = (!plan_.tokens || (next_token_ >= plan_.tokens->first &&
                                            next_token_ <= plan_.tokens->last)) &&
                         (!plan_.layer || in_layer_) && ps < plan_.to_ps;
    if (is_open == is_open_)
        return;
    is_open_ = is_open;
    if (is_open)
        pieces_.push_back({std::max(ps, plan_.from_ps), plan_.to_ps});
    else
        pieces_.back().to_ps = std::max(pieces_.back().from_ps, std::min(ps, plan_.to_ps));
}

bool Window::covers_before(std::uint64_t ps) const
{
    return std::ranges::any_of(
        pieces_, [ps](const Piece& piece) { return !piece.is_empty() && piece.from_ps < ps; });
}

std::vector<std::string> Window::beyond(std::uint64_t ps) const
{
    const auto time = [](std::uint64_t value) {
        return config::format_quantity(value, config::Dimension::Time);
    };
    std::vector<std::string> sentences;
    const bool has_end = plan_.to_ps != UINT64_MAX;
    if (plan_.from_ps >= ps || (has_end && plan_.to_ps > ps))
        sentences.push_back("@" + (plan_.from_ps != 0 ? time(plan_.from_ps) : "") + ".." +
                            (has_end ? time(plan_.to_ps) : "") +
                            " goes beyond the run, which ends at " + time(ps));
    if (plan_.tokens && plan_.tokens->last >= next_token_) {
        const auto& [first, last] = *plan_.tokens;
        sentences.push_back(
            "@token:" + std::to_string(first) + (last != first ? ".." + std::to_string(last) : "") +
            " goes beyond the run" +
            (next_token_ == 0
                 ? ", which has no token"
                 : ", whose last simulated token is number " + std::to_string(next_token_ - 1)));
    }
    if (plan_.layer && !had_layer_)
        sentences.push_back("@layer:" + std::to_string(*plan_.layer) +
                            " names a layer that has no operation in this run");
    return sentences;
}

std::optional<std::uint64_t> Window::first_from(std::uint64_t ps) const
{
    auto piece =
        std::upper_bound(pieces_.begin(), pieces_.end(), ps,
                         [](std::uint64_t value, const Piece& each) { return value < each.to_ps; });
    while (piece != pieces_.end() && piece->is_empty())
        ++piece;
    if (piece == pieces_.end())
        return std::nullopt;
    return std::max(ps, piece->from_ps);
}

std::optional<std::uint64_t> Window::last_until(std::uint64_t ps) const
{
    auto behind = std::upper_bound(
        pieces_.begin(), pieces_.end(), ps,
        [](std::uint64_t value, const Piece& each) { return value < each.from_ps; });
    while (behind != pieces_.begin() && std::prev(behind)->is_empty())
        --behind;
    if (behind == pieces_.begin())
        return std::nullopt;
    return std::min(ps, std::prev(behind)->to_ps);
}

} // namespace levee::trace
