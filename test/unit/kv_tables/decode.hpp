// SPDX-License-Identifier: Apache-2.0
// Decode steps for tests of eviction policies.
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/kv_tables/model.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace levee::test {

using kv_tables::Arrival;
using kv_tables::Entry;
using kv_tables::Evicted;
using kv_tables::Head;
using kv_tables::Policy;

constexpr std::uint16_t unit = 1024; // The importance of a score of 1/16.

inline std::vector<std::uint16_t> units(const std::vector<int>& counts)
{
    std::vector<std::uint16_t> importance;
    for (const int count : counts)
        importance.push_back(static_cast<std::uint16_t>(count * unit));
    return importance;
}

/// Decodes one step of one sequence. In each head, the arriving token takes the slot `next`.
inline Evicted step(const Policy& policy, Entry& entry, std::uint32_t position,
                    std::uint32_t length, const std::vector<std::vector<float>>& scores)
{
    Arrival arrival{position, length, {}, {}};
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        arrival.slots.push_back(entry.heads[o1].next);
        arrival.scores.push_back({scores[o1], static_cast<std::uint32_t>(scores[o1].size()), 1, 1});
    }
    return evict(policy, entry, arrival);
}

/// A decode with random scores, starting with an empty cache.
struct Decode {
    Policy policy;
    Entry entry;
    std::uint32_t seed;
    std::uint32_t position = 0;

    Decode(const Policy& rule, std::size_t heads, std::uint32_t number) : policy(rule), seed(number)
    {
        entry.heads.resize(heads);
    }
    std::uint32_t length() const { return std::min(position + 1, policy.capacity + 1); }
    float score(std::size_t head, std::uint32_t of) const
    {
        const std::uint64_t index = (std::uint64_t{position} << 32) + of;
        return unit_interval(random_word(seed, static_cast<std::uint32_t>(head), index)) * 0.01f;
    }
    /// A token's score does not depend on its slot.
    Evicted next()
    {
        std::vector<std::vector<float>> scores(entry.heads.size());
        for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1)
            for (std::uint32_t slot = 0; slot < length(); ++slot)
                scores[o1].push_back(score(
                    o1, slot == entry.heads[o1].next ? position : entry.heads[o1].positions[slot]));
        const Evicted evicted = step(policy, entry, position, length(), scores);
        ++position;
        return evicted;
    }
    /// Returns the importance of the kept tokens, by position.
    std::map<std::uint32_t, std::uint16_t> kept(std::size_t head) const
    {
        std::map<std::uint32_t, std::uint16_t> tokens;
        const Head& tables = entry.heads[head];
        for (std::uint32_t slot = 0; slot < tables.positions.size(); ++slot)
            if (slot != tables.next)
                tokens[tables.positions[slot]] = tables.importance[slot];
        return tokens;
    }
};

} // namespace levee::test
