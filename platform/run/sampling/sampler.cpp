// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace levee::sampling {

namespace {

constexpr std::int64_t one = 4; ///< the weight 1, in quarters

std::size_t index_of(const std::vector<Sample>& samples, std::uint32_t part)
{
    const auto found =
        std::lower_bound(samples.begin(), samples.end(), part,
                         [](const Sample& sample, std::uint32_t at) { return sample.part < at; });
    if (found == samples.end() || found->part != part)
        throw std::runtime_error("sampling: the program simulated part " + std::to_string(part) +
                                 ", which is not a sample");
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

void Sampler::add_sample(Series& series, std::uint32_t part, const Weight& weight,
                         const Figures& now)
{
    const std::size_t at = index_of(series.samples, part);
    const auto add = [&](WeightedSum& sum, std::int64_t doubled) {
        sum.add(*began_, now, {weight.quarters * doubled, weight.times});
    };
    add(whole_, static_cast<std::int64_t>(doubled_weights(series.samples)[at]));
    for (std::size_t i = 0; i < series.variations.size(); ++i) {
        const Variation& variation = series.variations[i];
        const std::size_t place = at - variation.first; // if `at` comes before `first`, this wraps
                                                        // around to an index that is too large
        if (place < variation.doubled.size() && variation.doubled[place] != 0)
            add(series.changes[i], variation.doubled[place]);
    }
}

void Sampler::add_part(const hostlink::MarkedPart& part, const Figures& now)
{
    switch (part.kind) {
    case LEVEE_MARK_PREFILL_CHUNK: {
        const std::vector<Sample> entries = plan_.done_entries();
        const std::size_t entry = index_of(entries, part.index / plan_.chunks_of_entry);
        add_sample(chunks_, part.index % plan_.chunks_of_entry,
                   {static_cast<std::int64_t>(doubled_weights(entries)[entry]), part.times}, now);
        return;
    }
    case LEVEE_MARK_SELECTION:
        whole_.add(*began_, now, {one, part.times});
        return;
    default:
        if (!plan_.final_length)
            add_sample(steps_, part.index, {2, part.times}, now);
        else if (part.index + 1 == plan_.steps)
            whole_.add(*began_, now, {one * std::int64_t{plan_.steps}, part.times});
    }
}

/// Called when a part has been simulated with three times the minimum number of layers.
void Sampler::begin_check(const hostlink::MarkedPart& part, const Figures& now)
{
    checks_[part.kind] = LayerCheck{};
    LayerCheck& check = *checks_[part.kind];
    check.part = part.index;
    check.difference.add(*began_, now, {.quarters = one, .with_tokens = false});
}

/// Called when the same part has been simulated again, either with the minimum number of layers or
/// with twice as many layers of one kind.
void Sampler::check(const hostlink::MarkedPart& part, const Figures& now)
{
    std::optional<LayerCheck>& open = checks_[part.kind];
    if (part.times == LEVEE_MARK_ONCE || !open || open->part != part.index)
        return;
    const auto add = [&](const Figures& before, const Figures& after, std::int64_t times) {
        open->difference.add(before, after, {.quarters = one * times, .with_tokens = false});
    };
    if (!open->base_began) {
        open->base_began = *began_;
        open->base_ended = now;
        add(*began_, now, -1);
        return;
    }
    add(*began_, now, -2);
    add(*open->base_began, *open->base_ended, 2);
    open->farther = std::max(open->farther, part.times / double{LEVEE_MARK_ONCE} - 1);
}

std::int64_t Sampler::parts_of(std::size_t kind) const
{
    return kind == LEVEE_MARK_PREFILL_CHUNK ? all_chunks()
           : kind == LEVEE_MARK_SELECTION   ? std::int64_t{plan_.entries}
                                            : std::int64_t{plan_.steps};
}

/// Measures the time between two consecutive parts, for the error bound. About half of it is the
/// firmware's work. The other half reports marks, which a run without sampling does not do.
void Sampler::note_between(const hostlink::MarkedPart& part, const Figures& now)
{
    if (part.kind != ended_.kind || part.index != ended_.index + 1 ||
        part.kind == LEVEE_MARK_SELECTION)
        return;
    Series& series = part.kind == LEVEE_MARK_PREFILL_CHUNK ? chunks_ : steps_;
    series.pair = true;
    series.between = {};
    add_gap(series.between, now, parts_of(part.kind) - 1);
}

/// Adds the time since the last part, except for work that the firmware does in place of omitted
/// parts.
void Sampler::add_gap(WeightedSum& sum, const Figures& now, std::int64_t times) const
{
    sum.add(*last_, now, {one * times});
    for (const auto& [from, to] : before_left_out_)
        sum.add(from, to, {one * times});
}

/// Counts the time between prefill and decoding once. If no two consecutive chunks were simulated,
/// this time also stands for the unknown time between chunks. That holds only in figures of both
/// phases together, since the prefill ends within this time.
void Sampler::begin_decoding(const Figures& now)
{
    add_gap(whole_, now, 1);
    if (!chunks_.pair)
        add_gap(chunks_.between, now, all_chunks());
}

std::int64_t Sampler::all_chunks() const
{
    return std::int64_t{plan_.entries} * plan_.chunks_of_entry;
}

void Sampler::mark(const hostlink::MarkedPart& part, bool begins, std::uint64_t ps)
{
    Figures now = measure_(ps);
    if (begins)
        begin(part, std::move(now));
    else
        end(part, std::move(now));
}

void Sampler::begin(const hostlink::MarkedPart& part, Figures now)
{
    if (part.kind == LEVEE_MARK_LEFT_OUT) {
        if (last_)
            before_left_out_.emplace_back(*last_, now);
        began_ = std::move(now);
        return;
    }
    if (!first_)
        first_ = now;
    else if (part.kind == LEVEE_MARK_DECODE_STEP && ended_.kind != LEVEE_MARK_DECODE_STEP)
        begin_decoding(now);
    else
        note_between(part, now);
    before_left_out_.clear();
    began_ = std::move(now);
}

void Sampler::end(const hostlink::MarkedPart& part, Figures now)
{
    if (part.kind == LEVEE_MARK_LEFT_OUT) {
        whole_.add(*began_, now, {one, part.times});
        if (first_)
            last_ = std::move(now);
        else // the time before the first part counts once
            whole_.add(*began_, now, {-one});
        return;
    }
    if (part.times == 0) {
        begin_check(part, now);
    } else {
        add_part(part, now);
        check(part, now);
    }
    ended_ = part;
    last_ = std::move(now);
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
    parts.add({}, *first_, {one});
    parts.add(*last_, end, {one});
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
    for (const std::optional<LayerCheck>& check : checks_)
        if (check)
            all.push_back((whole + check->difference).figures(end));
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
    for (std::size_t kind = 0; kind < checks_.size(); ++kind)
        if (checks_[kind]) {
            sum += std::abs(changes.front()) * checks_[kind]->farther *
                   static_cast<double>(parts_of(kind));
            changes = changes.subspan(1);
        }
    return sum;
}

} // namespace levee::sampling
