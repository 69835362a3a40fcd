// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/choice.hpp"

#include <algorithm>
#include <map>

namespace levee::sampling {

namespace {

/// Returns the middle of the widest gap. If several gaps are widest, it takes the first. There must
/// be a gap.
std::uint32_t middle_of_widest(const std::map<std::uint32_t, bool>& parts)
{
    std::uint32_t best = 0, width = 0;
    for (auto at = parts.begin(), next = std::next(at); next != parts.end(); at = next++)
        if (next->first - at->first > width) {
            width = next->first - at->first;
            best = at->first + width / 2;
        }
    return best;
}

} // namespace

std::vector<Sample> choose(std::uint32_t total, std::uint32_t count,
                           std::span<const std::uint64_t> kinks)
{
    std::map<std::uint32_t, bool> parts{{0, true}, {total - 1, true}};
    for (const std::uint64_t kink : kinks)
        if (kink < total)
            parts[static_cast<std::uint32_t>(kink)] = true;
    while (parts.size() < count && parts.size() < total)
        parts.emplace(middle_of_widest(parts), false);
    std::vector<Sample> samples;
    for (const auto& [part, fixed] : parts)
        samples.push_back({part, fixed});
    return samples;
}

std::vector<std::uint64_t> doubled_weights(std::span<const Sample> samples)
{
    std::vector<std::uint64_t> weights(samples.size(), 0);
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
        // Linear interpolation: each part i between the samples a and b adds (b - i) / (b - a) to
        // the weight of a, and (i - a) / (b - a) to the weight of b.
        const std::uint64_t gap = samples[i + 1].part - samples[i].part;
        weights[i] += gap + 1;
        weights[i + 1] += gap - 1;
    }
    if (!weights.empty())
        weights.back() += 2;
    return weights;
}

bool tells_error(std::span<const Sample> samples, std::uint32_t total)
{
    return samples.size() == total ||
           std::ranges::any_of(samples, [](const Sample& sample) { return !sample.fixed; });
}

} // namespace levee::sampling
