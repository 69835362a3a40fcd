// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/inside.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace levee::cim {

namespace {

const char* const names[stages] = {"norm",        "Q, K, V, prune",        "quantise",
                                   "scores",      "probabilities times V", "output, norm",
                                   "feed forward"};

} // namespace

std::vector<std::string> StageView::tracks() const
{
    std::vector<std::string> tracks;
    for (std::uint32_t core = 0; core < cores_; ++core)
        for (const char* const name : names)
            tracks.push_back("core " + std::to_string(core) + " " + name);
    return tracks;
}

void StageView::add(const std::vector<Step>& steps, std::uint32_t core, double begin)
{
    for (Step step : steps) {
        step.layer += core;
        step.from += begin;
        step.to += begin;
        steps_.push_back(step);
    }
}

void StageView::tell(Picoseconds start, const Clock& clock, const InnerSpanSink& sink)
{
    std::stable_sort(steps_.begin(), steps_.end(),
                     [](const Step& a, const Step& b) { return a.from < b.from; });
    const auto at = [&](double cycles) { return start + clock.nearest(cycles); };
    for (const Step& step : steps_) {
        InnerSpan span{step.layer * static_cast<std::uint32_t>(stages) +
                           static_cast<std::uint32_t>(step.stage),
                       names[step.stage],
                       at(step.from),
                       at(step.to),
                       {},
                       {}};
        span.details = {{"token", std::to_string(step.token)},
                        {"tokens", std::to_string(step.tokens)}};
        sink(span);
    }
    steps_.clear();
}

} // namespace levee::cim
