// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/inside.hpp"

#include <algorithm>

namespace levee::reram {

namespace {

/// Operations with more steps than this are shown as one span.
constexpr std::uint64_t most_shown = 64;

} // namespace

GroupView::GroupView(std::uint32_t units, std::uint32_t groups)
    : units_(units), groups_(groups), busy_(groups), told_(groups)
{
}

std::vector<std::string> GroupView::tracks() const
{
    std::vector<std::string> names;
    for (std::uint64_t group = 0; group < groups_; ++group) {
        const std::uint64_t first = (group * units_ + groups_ - 1) / groups_;
        const std::uint64_t next = ((group + 1) * units_ + groups_ - 1) / groups_;
        names.push_back("units " + std::to_string(first) + "-" + std::to_string(next - 1));
    }
    return names;
}

void GroupView::add(const Work& work)
{
    const auto group_of = [&](std::uint64_t unit) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(unit, units_ - 1) * groups_ /
                                          units_);
    };
    std::uint32_t next = 0; // Groups below this one have been counted.
    for (const UnitRange& range : work.units) {
        const std::uint32_t last = group_of(range.end() - 1);
        for (std::uint32_t group = std::max(next, group_of(range.first)); group <= last; ++group) {
            busy_[group] += work.steps * work.step;
            if (sink_)
                add_spans(work, group);
        }
        next = std::max(next, last + 1);
    }
}

void GroupView::add_spans(const Work& work, std::uint32_t group)
{
    const bool one_by_one = work.steps <= most_shown;
    const std::uint64_t shown = one_by_one ? work.steps : 1;
    const Picoseconds length = one_by_one ? work.step : work.steps * work.step;
    for (std::uint64_t i = 0; i < shown; ++i) {
        InnerSpan span{group, work.name, work.start + i * length, work.start + (i + 1) * length,
                       {},    {}};
        span.details = {
            {"stage", std::to_string(work.stage)},
            {one_by_one ? "vector" : "vectors", std::to_string(one_by_one ? i : work.steps)}};
        if (one_by_one)
            span.chains.push_back(chains_ + i);
        spans_.push_back(std::move(span));
    }
}

void GroupView::tell()
{
    std::stable_sort(spans_.begin(), spans_.end(),
                     [](const InnerSpan& a, const InnerSpan& b) { return a.from < b.from; });
    for (InnerSpan& span : spans_) { // Units of a group may work at the same time, but the spans of
                                     // a track must not overlap.
        span.from = std::max(span.from, told_[span.track]);
        if (span.from >= span.to)
            continue;
        told_[span.track] = span.to;
    }
    std::erase_if(spans_, [](const InnerSpan& span) { return span.from >= span.to; });
    std::stable_sort(spans_.begin(), spans_.end(),
                     [](const InnerSpan& a, const InnerSpan& b) { return a.from < b.from; });
    for (const InnerSpan& span : spans_)
        sink_(span);
    spans_.clear();
    chains_ += most_shown;
}

void GroupView::report(Stats& stats) const
{
    for (std::uint32_t group = 0; group < groups_; ++group)
        stats.add("group" + std::to_string(group) + ".busy_s", seconds(busy_[group]));
}

} // namespace levee::reram
