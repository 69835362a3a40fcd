// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sampling/sampler.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace levee::sampling {

namespace {

constexpr std::uint64_t one = 4; ///< in quarters

} // namespace

std::vector<Sample> Plan::done_entries() const
{
    const std::uint64_t second[] = {1};
    return choose(entries, 2, second);
}

Sampler::Sampler(const Plan& plan, std::function<Figures(std::uint64_t)> measure)
    : plan_(plan), measure_(std::move(measure))
{
}

Sampler::Weights Sampler::find(const std::vector<Sample>& samples, std::uint32_t part,
                               std::uint64_t times)
{
    const auto found =
        std::lower_bound(samples.begin(), samples.end(), part,
                         [](const Sample& sample, std::uint32_t at) { return sample.part < at; });
    if (found == samples.end() || found->part != part)
        throw std::runtime_error("sampling: the program did part " + std::to_string(part) +
                                 ", which is none of the samples");
    const auto index = static_cast<std::size_t>(found - samples.begin());
    return {times * doubled_weights(samples)[index],
            times * doubled_weights_of_half(samples)[index]};
}

Sampler::Weights Sampler::weights_of(levee_mark kind, std::uint32_t index) const
{
    switch (kind) {
    case LEVEE_MARK_PREFILL_CHUNK:
        return find(plan_.chunks, index % plan_.chunks_of_entry,
                    find(plan_.done_entries(), index / plan_.chunks_of_entry, 1).whole);
    case LEVEE_MARK_SELECTION:
        return {one, one};
    default:
        return plan_.final_length ? as_last(index) : find(plan_.done_steps, index, 2);
    }
}

Sampler::Weights Sampler::as_last(std::uint32_t step) const
{
    const std::uint64_t weight = step + 1 == plan_.steps ? one * plan_.steps : 0;
    return {weight, weight};
}

void Sampler::mark(levee_mark kind, std::uint32_t index, bool begins, std::uint64_t ps)
{
    Figures now = measure_(ps);
    if (begins) {
        if (!first_)
            first_ = now;
        else if (kind == LEVEE_MARK_DECODE_STEP && ended_ != LEVEE_MARK_DECODE_STEP) {
            whole_.add(*last_, now, one);
            half_.add(*last_, now, one);
        }
        began_ = std::move(now);
        return;
    }
    const Weights weights = weights_of(kind, index);
    whole_.add(*began_, now, weights.whole);
    half_.add(*began_, now, weights.half);
    last_ = std::move(now);
    ended_ = kind;
}

void Sampler::sample_steps(const Plan& plan)
{
    plan_.done_steps = plan.done_steps;
    plan_.final_length = plan.final_length;
}

Figures Sampler::sum(WeightedSum parts, const Figures& end) const
{
    if (!last_)
        return end;
    parts.add({}, *first_, one);
    parts.add(*last_, end, one);
    return parts.figures(end);
}

Figures Sampler::whole(const Figures& end) const
{
    return sum(whole_, end);
}

Figures Sampler::from_half(const Figures& end) const
{
    return sum(half_, end);
}

} // namespace levee::sampling
