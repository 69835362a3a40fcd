// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/model.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace levee::voting_engine {

namespace {

constexpr std::uint16_t largest_fp16 = 0x7BFF;
constexpr std::uint16_t most_votes = 0xFFFF;

void add_vote(std::uint16_t& votes)
{
    votes = static_cast<std::uint16_t>(votes + (votes == most_votes ? 0 : 1));
}

std::uint32_t position_of(std::span<const std::uint32_t> positions, std::size_t slot)
{
    return positions.empty() ? static_cast<std::uint32_t>(slot) : positions[slot];
}

/// Returns the slot of the smallest element; ties go to the earliest token.
std::size_t smallest(std::span<const std::uint16_t> elements,
                     std::span<const std::uint32_t> positions)
{
    std::size_t found = 0;
    for (std::size_t i = 1; i < elements.size(); ++i)
        if (elements[i] < elements[found] ||
            (elements[i] == elements[found] &&
             position_of(positions, i) < position_of(positions, found)))
            found = i;
    return found;
}

} // namespace

bool is_factor(float value)
{
    return value == 0.0f || (value >= least_factor && value <= greatest_factor);
}

std::uint16_t to_element(float probability)
{
    return clamped(fp32_to_fp16(probability));
}

std::uint16_t clamped(std::uint16_t probability)
{
    constexpr std::uint16_t infinity = 0x7C00;
    if (probability > infinity) // The probability is negative or NaN.
        return 0;
    return std::min(probability, largest_fp16);
}

float threshold_of(std::size_t count, float sum, const Factors& factors)
{
    const auto length = static_cast<float>(count);
    const float mean = 1.0f / length;
    const float variance = std::max(0.0f, sum / length - mean * mean);
    return factors.mean * mean - factors.deviation * std::sqrt(variance);
}

float threshold(std::span<const std::uint16_t> elements, const Factors& factors)
{
    float sum = 0.0f;
    for (const std::uint16_t element : elements) {
        const float p = fp16_to_fp32(element);
        sum = sum + p * p;
    }
    return threshold_of(elements.size(), sum, factors);
}

void vote(std::span<std::uint16_t> votes, std::span<const std::uint16_t> elements,
          std::span<const std::uint32_t> positions, const Factors& factors)
{
    const float limit = threshold(elements, factors);
    if (limit < 0.0f) {
        add_vote(votes[smallest(elements, positions)]);
        return;
    }
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (fp16_to_fp32(elements[i]) < limit)
            add_vote(votes[i]);
}

std::uint32_t passed_of(std::uint32_t reach, std::uint32_t length)
{
    return reach != 0 && length >= reach ? length - reach + 1 : 0;
}

std::uint32_t give_up_passed(std::span<std::uint16_t> votes,
                             std::span<const std::uint32_t> positions, std::uint32_t passed,
                             std::uint32_t protect)
{
    for (std::size_t i = 0; i < votes.size(); ++i)
        if (positions[i] < passed) {
            votes[i] = most_votes;
            protect = 0;
        }
    return protect;
}

std::uint32_t elect(std::span<const std::uint16_t> votes, std::span<const std::uint32_t> positions,
                    std::uint32_t protect)
{
    std::uint32_t found = none;
    for (std::uint32_t i = 0; i < votes.size(); ++i) {
        if (positions[i] < protect)
            continue;
        if (found == none || votes[i] > votes[found] ||
            (votes[i] == votes[found] && positions[i] < positions[found]))
            found = i;
    }
    return found;
}

std::vector<std::uint32_t> select(std::span<const std::uint16_t> votes, std::uint32_t capacity,
                                  std::uint32_t protect, std::uint32_t passed)
{
    const std::size_t surplus = votes.size() > capacity ? votes.size() - capacity : 0;
    const std::size_t before = std::min<std::size_t>(passed, surplus);
    const std::size_t first = std::min(std::max<std::size_t>(protect, before), votes.size());
    std::vector<std::uint32_t> leaving(votes.size() - first);
    std::iota(leaving.begin(), leaving.end(), static_cast<std::uint32_t>(first));
    std::stable_sort(
        leaving.begin(), leaving.end(),
        [votes](std::uint32_t one, std::uint32_t other) { return votes[one] > votes[other]; });
    leaving.resize(std::min(surplus - before, leaving.size()));
    std::vector<bool> leaves(votes.size());
    std::fill_n(leaves.begin(), before, true);
    for (const std::uint32_t position : leaving)
        leaves[position] = true;
    std::vector<std::uint32_t> staying;
    for (std::uint32_t i = 0; i < votes.size(); ++i)
        if (!leaves[i])
            staying.push_back(i);
    return staying;
}

} // namespace levee::voting_engine
