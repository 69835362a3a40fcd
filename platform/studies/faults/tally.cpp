// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/tally.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace levee::campaign {

namespace {

/// Returns the message with N in place of each number, since numbers differ from fault to fault.
std::string without_numbers(const std::string& text)
{
    std::string kind;
    bool in_number = false;
    for (const char c : text) {
        const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        const bool is_hex = in_number && std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (is_digit && !in_number)
            kind += 'N';
        if (!is_digit && !is_hex)
            kind += c;
        in_number = is_digit || is_hex;
    }
    return kind;
}

} // namespace

void Counts::add(Effect effect)
{
    const auto at = std::ranges::find(effects, effect, &NamedEffect::effect) - effects.begin();
    ++of[static_cast<std::size_t>(at)];
}

std::uint64_t Counts::all() const
{
    return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

bool are_narrow(const Counts& counts, std::uint64_t trials, double width, double quantile)
{
    const double known = static_cast<double>(counts.all());
    if (known == 0)
        return false;
    return std::ranges::all_of(counts.of, [&](std::uint64_t hits) {
        const auto all = static_cast<double>(trials);
        return wilson(static_cast<double>(hits) / known * all, all, quantile).width() <= width;
    });
}

Counts SiteTally::counts() const
{
    Counts counts;
    for (const Injected& one : injected)
        counts.add(one.outcome.effect);
    return counts;
}

std::map<std::string, Counts> SiteTally::parts() const
{
    std::map<std::string, Counts> parts;
    for (const Injected& one : injected)
        if (!one.draw.part.empty())
            parts[one.draw.part].add(one.outcome.effect);
    return parts;
}

std::map<std::string, std::uint64_t> SiteTally::detections() const
{
    std::map<std::string, std::uint64_t> detections;
    for (const Injected& one : injected)
        if (!one.outcome.by.empty())
            ++detections[without_numbers(one.outcome.by)];
    return detections;
}

} // namespace levee::campaign
