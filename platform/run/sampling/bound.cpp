// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/bound.hpp"

#include <algorithm>
#include <cmath>

namespace levee::sampling {

namespace {

std::int64_t gap_after(std::span<const Sample> samples, std::size_t at)
{
    return std::int64_t{samples[at + 1].part} - std::int64_t{samples[at].part};
}

Variation without(std::span<const Sample> samples, std::size_t at)
{
    const std::int64_t before = gap_after(samples, at - 1), after = gap_after(samples, at);
    return {Variation::Kind::LeftOut, at, at - 1, {after, -(before + after), before}};
}

Variation held(std::span<const Sample> samples, std::size_t at)
{
    const std::int64_t inside = gap_after(samples, at) - 1;
    return {Variation::Kind::Held, at, at, {inside, -inside, 0}};
}

} // namespace

std::vector<Variation> variations(std::span<const Sample> samples)
{
    std::vector<Variation> all;
    for (std::size_t i = 1; i + 1 < samples.size(); ++i)
        if (!samples[i].fixed)
            all.push_back(without(samples, i));
    for (std::size_t i = 0; i + 1 < samples.size(); ++i)
        if (samples[i].fixed && samples[i + 1].fixed && gap_after(samples, i) > 1)
            all.push_back(held(samples, i));
    return all;
}

double bound(std::span<const Sample> samples, std::span<const Variation> variations,
             std::span<const double> changes)
{
    std::vector<double> left_out(samples.size(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < variations.size(); ++i)
        if (variations[i].kind == Variation::Kind::Held)
            sum += std::abs(changes[i]);
        else
            left_out[variations[i].sample] = changes[i];
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
        const auto gap = static_cast<double>(gap_after(samples, i));
        if (gap == 1)
            continue; // no part lies between the samples
        double before = 0, after = 0;
        if (left_out[i] != 0)
            before = left_out[i] * gap / static_cast<double>(gap_after(samples, i - 1));
        if (left_out[i + 1] != 0)
            after = left_out[i + 1] * gap / static_cast<double>(gap_after(samples, i + 1));
        sum += std::max(std::abs(before), std::abs(after));
    }
    return sum;
}

} // namespace levee::sampling
