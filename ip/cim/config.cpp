// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/config.hpp"

namespace levee::cim {

namespace {

constexpr std::uint64_t page_bytes = 4096;

} // namespace

std::uint32_t Statistics::levels_of(std::uint64_t tokens) const
{
    for (const auto& [most, count] : levels)
        if (tokens <= most)
            return count;
    return levels.empty() ? 1 : levels.back().second;
}

std::uint64_t Config::bytes() const
{
    return divide_up(cores * units.weights(), page_bytes) * page_bytes;
}

std::uint64_t Config::offset_of(std::uint32_t layer, levee_cim_matrix which) const
{
    const std::uint64_t square = std::uint64_t{units.hidden} * units.hidden;
    const std::uint64_t wide = std::uint64_t{units.hidden} * units.feed_forward;
    const std::uint64_t begins[LEVEE_CIM_MATRICES] = {0, 3 * square, 4 * square, 4 * square + wide};
    return layer * units.weights() + begins[which];
}

bool packs(const CommandQueue& queue, const Config& config)
{
    const bool told = queue.decisions().source != nullptr || config.expected;
    return !config.statistics && (!queue.timing_only() || told);
}

} // namespace levee::cim
