// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/views.hpp"

#include "ip/kv_tables/importance.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace levee::kv_tables {

void write_views(std::span<const std::uint16_t> importance, std::uint32_t absent,
                 levee_se_score format, unsigned view_bits, std::span<std::uint8_t> views,
                 std::span<const std::uint8_t> comes_first)
{
    std::uint16_t least = UINT16_MAX, largest = 0;
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < importance.size(); ++slot) {
        if (slot == absent)
            continue;
        slots.push_back(slot);
        least = std::min(least, ordered(importance[slot], format));
        largest = std::max(largest, ordered(importance[slot], format));
    }
    const int base = format == LEVEE_SE_LOGIT ? least : 0;
    const int leading_zeros = std::countl_zero(static_cast<std::uint16_t>(largest - base));
    if (absent < importance.size())
        views[absent] = 0;
    for (const std::uint32_t slot : slots) {
        const int above = ordered(importance[slot], format) - base;
        views[slot] = static_cast<std::uint8_t>((above << leading_zeros) >> (16 - view_bits));
    }
    const auto rank = [&](std::uint32_t slot) {
        return std::pair(comes_first.empty() ? std::uint8_t{0} : comes_first[slot], views[slot]);
    };
    std::stable_sort(slots.begin(), slots.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rank(a) > rank(b); });
    slots.resize((slots.size() + 1) / 2);
    for (const std::uint32_t slot : slots)
        views[slot] |= LEVEE_SE_VIEW_HIGH;
}

} // namespace levee::kv_tables
