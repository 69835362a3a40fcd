// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/inside.hpp"

#include <algorithm>

namespace levee::flash {

std::vector<std::string> RequestView::tracks() const
{
    std::vector<std::string> names;
    for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
        const std::string name = "channel " + std::to_string(channel);
        names.push_back(name + " bus");
        for (std::uint32_t die = 0; die < geometry_.dies_per_channel(); ++die) {
            const std::string its = name + " die " + std::to_string(die);
            for (std::uint32_t plane = 0; plane < geometry_.planes; ++plane) {
                names.push_back(its + " plane " + std::to_string(plane));
                names.push_back(names.back() + " cache");
            }
            names.push_back(its + " core");
        }
    }
    return names;
}

std::uint32_t RequestView::track_of(const ChannelStep& step) const
{
    const std::uint32_t in_die = 2 * geometry_.planes + 1;
    const std::uint32_t bus = step.channel * (1 + geometry_.dies_per_channel() * in_die);
    if (is_on_bus(step.span.step))
        return bus;
    const std::uint32_t die = bus + 1 + step.span.die * in_die;
    if (step.span.step == Step::Compute)
        return die + 2 * geometry_.planes;
    return die + 2 * step.span.plane + (step.span.step == Step::Hold ? 1 : 0);
}

InnerSpan RequestView::inner(const ChannelStep& step, Picoseconds start) const
{
    const Span& span = step.span;
    InnerSpan inner{track_of(step), name_of(span.step), start + span.from, start + span.to, {}, {}};
    inner.details = {{"request", name_of(span.kind)},
                     {"number", std::to_string(span.request)},
                     {"die", std::to_string(span.die)},
                     {"plane", std::to_string(span.plane)},
                     {"page", std::to_string(span.page)}};
    if (span.requests > 1)
        inner.details.emplace_back("requests", std::to_string(span.requests));
    for (std::uint32_t i = 0; i < span.requests; ++i)
        inner.chains.push_back(chains_ + std::uint64_t{span.request + i} * geometry_.channels +
                               step.channel);
    return inner;
}

void RequestView::tell(Picoseconds start, const InnerSpanSink& sink)
{
    std::stable_sort(steps_.begin(), steps_.end(), [](const ChannelStep& a, const ChannelStep& b) {
        return a.span.from < b.span.from;
    });
    std::uint64_t requests = 0;
    for (const ChannelStep& step : steps_) {
        sink(inner(step, start));
        requests = std::max<std::uint64_t>(requests, step.span.request + step.span.requests);
    }
    chains_ += requests * geometry_.channels;
    steps_.clear();
}

} // namespace levee::flash
