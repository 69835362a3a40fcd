// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/bank_use.hpp"

#include <algorithm>

namespace levee::edram {

BankUse::BankUse(unsigned pairs)
    : spans_{Span{0, 0.0, 0.0, std::vector<double>(pairs, 0.0), std::vector<double>(pairs, 0.0)}}
{
}

void BankUse::change(Time now, const std::vector<double>& shares)
{
    Span& last = spans_.back();
    if (last.share == shares)
        return;
    const double peak = shares.empty() ? 0.0 : *std::max_element(shares.begin(), shares.end());
    if (last.since == now) {
        last.share = shares;
        last.peak = peak;
        return;
    }
    Span next;
    if (!spare_.empty()) {
        next = std::move(spare_.back());
        spare_.pop_back();
    }
    const auto lasted = static_cast<double>(now - last.since);
    next.since = now;
    next.peak = peak;
    next.peak_before = last.peak_before + last.peak * lasted;
    next.share = shares;
    next.before = last.before;
    for (std::size_t pair = 0; pair < shares.size(); ++pair)
        next.before[pair] += last.share[pair] * lasted;
    spans_.push_back(std::move(next));
}

void BankUse::forget(Time time)
{
    while (spans_.size() > 1 && spans_[1].since <= time) {
        spare_.push_back(std::move(spans_.front()));
        spans_.pop_front();
    }
}

Time BankUse::steady_until(Time time) const
{
    const auto next = std::upper_bound(spans_.begin(), spans_.end(), time,
                                       [](Time t, const Span& span) { return t < span.since; });
    if (next != spans_.begin())
        return next == spans_.end() ? never : next->since;
    return spans_.size() == 1 ? never : spans_[1].since;
}

const BankUse::Span& BankUse::span_at(Time time) const
{
    const auto after = std::upper_bound(spans_.begin(), spans_.end(), time,
                                        [](Time t, const Span& span) { return t < span.since; });
    return after == spans_.begin() ? *after : *(after - 1);
}

} // namespace levee::edram
