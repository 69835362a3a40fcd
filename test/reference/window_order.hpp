// SPDX-License-Identifier: Apache-2.0
// The order in which a local layer attends to the tokens of its window. As in the firmware, a
// prefill uses the order of positions, and a decode step the order of the ring's slots.
#pragma once

#include "core/abi/model_image.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace levee::test {

struct WindowOrder {
    std::uint32_t window = 0; // Number of tokens in the window, including the token itself.
    // number of prefilled tokens that are in a separate cache; 0: all tokens are in the ring
    std::uint32_t prefilled = 0;

    // Returns the window of the token at `position` in a prefill, in order.
    [[nodiscard]] std::vector<std::uint32_t> by_position(std::uint32_t position) const
    {
        std::vector<std::uint32_t> seen(std::min(position + 1, window));
        std::iota(seen.begin(), seen.end(), first_seen(position));
        return seen;
    }

    // Returns the window by slot in a decode step. A prefill's last tokens begin at slot 0.
    [[nodiscard]] std::vector<std::uint32_t> by_slot(std::uint32_t position) const
    {
        const std::uint32_t origin = prefilled > window ? prefilled : 0;
        std::vector<std::uint32_t> seen = by_position(position);
        std::ranges::sort(seen, {}, [&](std::uint32_t token) {
            return (token + window * (origin / window + 1) - origin) % window;
        });
        return seen;
    }

    // A prefill's tile, whose first query is at position `query`, may begin before the window of
    // the token at `position`. Returns by how many tokens.
    [[nodiscard]] std::size_t lead(std::uint32_t position, std::uint32_t query) const
    {
        return first_seen(position) - first_seen(query);
    }

private:
    [[nodiscard]] std::uint32_t first_seen(std::uint32_t position) const
    {
        return position < window ? 0 : position + 1 - window;
    }
};

} // namespace levee::test
