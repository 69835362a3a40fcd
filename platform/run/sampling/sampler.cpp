// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace levee::sampling {

namespace {

constexpr std::int64_t one = 4; ///< in quarters

std::size_t index_of(const std::vector<Sample>& samples, std::uint32_t part)
{
    const auto found =
        std::lower_bound(samples.begin(), samples.end(), part,
                         [](const Sample& sample, std::uint32_t at) { return sample.part < at; });
    if (found == samples.end() || found->part != part)
        throw std::runtime_error("sampling: the program did part " + std::to_string(part) +
                                 ", which is none of the samples");
    return static_cast<std::size_t>(found - samples.begin());
}

} // namespace

std::vector<Sample> Plan::done_entries() const
{
    const std::uint64_t second[] = {1};
    return choose(entries, 2, second);
}

Sampler::Sampler(const Plan& plan, std::function<Figures(std::uint64_t)> measure)
    : plan_(plan), measure_(std::move(measure)), chunks_(series_of(plan.chunks)),
      steps_(steps_of(plan))
{
}

Sampler::Series Sampler::steps_of(const Plan& plan)
{
    return series_of(plan.final_length ? std::vector<Sample>{} : plan.done_steps);
}

Sampler::Series Sampler::series_of(std::vector<Sample> samples)
{
    Series series;
    series.variations = variations(samples);
    series.changes.resize(series.variations.size());
    series.samples = std::move(samples);
    return series;
}

void Sampler::add_sample(Series& series, std::uint32_t part, std::int64_t times, const Figures& now)
{
    const std::size_t at = index_of(series.samples, part);
    whole_.add(*began_, now,
               times * static_cast<std::int64_t>(doubled_weights(series.samples)[at]));
    for (std::size_t i = 0; i < series.variations.size(); ++i) {
        const Variation& variation = series.variations[i];
        const std::size_t weight = at - variation.first; // beyond all of them if it is before
        if (weight < variation.doubled.size() && variation.doubled[weight] != 0)
            series.changes[i].add(*began_, now, times * variation.doubled[weight]);
    }
}

void Sampler::add_part(levee_mark kind, std::uint32_t index, const Figures& now)
{
    switch (kind) {
    case LEVEE_MARK_PREFILL_CHUNK: {
        const std::vector<Sample> entries = plan_.done_entries();
        const std::size_t entry = index_of(entries, index / plan_.chunks_of_entry);
        add_sample(chunks_, index % plan_.chunks_of_entry,
                   static_cast<std::int64_t>(doubled_weights(entries)[entry]), now);
        return;
    }
    case LEVEE_MARK_SELECTION:
        whole_.add(*began_, now, one);
        return;
    default:
        if (!plan_.final_length)
            add_sample(steps_, index, 2, now);
        else if (index + 1 == plan_.steps)
            whole_.add(*began_, now, one * std::int64_t{plan_.steps});
    }
}

/// Two parts that follow each other have between them what firmware does there and, about as
/// much, what marking them takes: whole runs have the one, parts the other.
void Sampler::note_between(levee_mark kind, std::uint32_t index, const Figures& now)
{
    if (kind != ended_ || index != ended_index_ + 1 || kind == LEVEE_MARK_SELECTION)
        return;
    const bool chunk = kind == LEVEE_MARK_PREFILL_CHUNK;
    const std::int64_t parts = chunk ? all_chunks() : std::int64_t{plan_.steps};
    Series& series = chunk ? chunks_ : steps_;
    series.pair = true;
    series.between = {};
    series.between.add(*last_, now, one * (parts - 1));
}

/// What lies between prefill and decoding counts once. Where no two chunks follow each other it
/// stands for what lies between these, in figures of both phases: the prefill ends in it.
void Sampler::begin_decoding(const Figures& now)
{
    whole_.add(*last_, now, one);
    if (!chunks_.pair)
        chunks_.between.add(*last_, now, one * all_chunks());
}

std::int64_t Sampler::all_chunks() const
{
    return std::int64_t{plan_.entries} * plan_.chunks_of_entry;
}

void Sampler::mark(levee_mark kind, std::uint32_t index, bool begins, std::uint64_t ps)
{
    Figures now = measure_(ps);
    if (!begins) {
        add_part(kind, index, now);
        last_ = std::move(now);
        ended_ = kind;
        ended_index_ = index;
        return;
    }
    if (!first_)
        first_ = now;
    else if (kind == LEVEE_MARK_DECODE_STEP && ended_ != LEVEE_MARK_DECODE_STEP)
        begin_decoding(now);
    else
        note_between(kind, index, now);
    began_ = std::move(now);
}

void Sampler::sample_steps(const Plan& plan)
{
    plan_.steps = plan.steps;
    plan_.done_steps = plan.done_steps;
    plan_.final_length = plan.final_length;
    steps_ = steps_of(plan_);
}

WeightedSum Sampler::all_of(WeightedSum parts, const Figures& end) const
{
    parts.add({}, *first_, one);
    parts.add(*last_, end, one);
    return parts;
}

Figures Sampler::whole(const Figures& end) const
{
    return last_ ? all_of(whole_, end).figures(end) : end;
}

std::vector<Figures> Sampler::varied(const Figures& end) const
{
    std::vector<Figures> all;
    if (!last_)
        return all;
    const WeightedSum whole = all_of(whole_, end);
    for (const Series* series : {&chunks_, &steps_}) {
        for (const WeightedSum& changes : series->changes)
            all.push_back((whole + changes).figures(end));
        all.push_back((whole + series->between).figures(end));
    }
    return all;
}

double Sampler::bound(std::span<const double> changes) const
{
    double sum = 0;
    for (const Series* series : {&chunks_, &steps_}) {
        const std::size_t count = series->variations.size();
        sum += sampling::bound(series->samples, series->variations, changes.first(count)) +
               std::abs(changes[count]);
        changes = changes.subspan(count + 1);
    }
    return sum;
}

} // namespace levee::sampling
