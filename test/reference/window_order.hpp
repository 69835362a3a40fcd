// SPDX-License-Identifier: Apache-2.0
// The tokens to which a local layer's token attends, in the order of the platform's firmware: by
// position in a prefill, by slot of a ring in a decode step.
#pragma once

#include "core/abi/model_image.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace levee::test {

struct WindowOrder {
    std::uint32_t window = 0; // tokens, including the token itself
    // Number of tokens with a separate cache; 0: the ring took all of them.
    std::uint32_t prefilled = 0;

    // In a prefill: the window of the token at `position`, in order.
    [[nodiscard]] std::vector<std::uint32_t> by_position(std::uint32_t position) const
    {
        std::vector<std::uint32_t> seen(std::min(position + 1, window));
        std::iota(seen.begin(), seen.end(), first_seen(position));
        return seen;
    }

    // In a decode step: the window by slot. A prefill's last tokens begin at slot 0.
    [[nodiscard]] std::vector<std::uint32_t> by_slot(std::uint32_t position) const
    {
        const std::uint32_t origin = prefilled > window ? prefilled : 0;
        std::vector<std::uint32_t> seen = by_position(position);
        std::ranges::sort(seen, {}, [&](std::uint32_t token) {
            return (token + window * (origin / window + 1) - origin) % window;
        });
        return seen;
    }

    // Number of tokens by which a tile of the prefill begins before the window of the token at
    // `position`, if the tile's first query is at position `query`.
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
