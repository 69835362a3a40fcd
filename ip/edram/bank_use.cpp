#include "ip/edram/bank_use.hpp"

#include <algorithm>

namespace levee::edram {

BankUse::BankUse(unsigned pairs)
    : spans_{Span{0, std::vector<double>(pairs, 0.0), std::vector<double>(pairs, 0.0)}}
{
}

void BankUse::change(Time now, const std::vector<double>& shares)
{
    const Span& last = spans_.back();
    if (last.share == shares)
        return;
    if (last.since == now) {
        spans_.back().share = shares;
        return;
    }
    Span next{now, shares, last.before};
    for (std::size_t pair = 0; pair < shares.size(); ++pair)
        next.before[pair] += last.share[pair] * static_cast<double>(now - last.since);
    spans_.push_back(std::move(next));
}

void BankUse::forget(Time time)
{
    while (spans_.size() > 1 && spans_[1].since <= time)
        spans_.pop_front();
}

double BankUse::busy(unsigned pair, Time from, Time to) const
{
    return used_until(pair, to) - used_until(pair, from);
}

Time BankUse::steady_until(Time time) const
{
    const auto next = span_at(time) + 1;
    return next == spans_.end() ? never : next->since;
}

double BankUse::used_until(unsigned pair, Time time) const
{
    const Span& span = *span_at(time);
    if (time < span.since) // before anything was remembered
        return span.before[pair];
    return span.before[pair] + span.share[pair] * static_cast<double>(time - span.since);
}

std::deque<BankUse::Span>::const_iterator BankUse::span_at(Time time) const
{
    const auto after = std::upper_bound(spans_.begin(), spans_.end(), time,
                                        [](Time t, const Span& span) { return t < span.since; });
    return after == spans_.begin() ? after : after - 1;
}

} // namespace levee::edram
