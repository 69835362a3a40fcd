// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/unit/systolic_evictor/producer.hpp"

namespace levee::test {

/// An operation on a cache of one head, with `tokens` slots and one row of scores. All fields are
/// filled in.
struct OneHead {
    levee_se_operation op{};

    OneHead(Bench& system, std::uint32_t tokens, std::uint32_t capacity, std::uint32_t now)
    {
        op.outer[0] = op.outer[1] = op.rows = op.group = 1;
        op.n = tokens;
        op.capacity = capacity;
        op.window = 1;
        std::vector<float> scores(tokens, 0.25f);
        std::vector<std::uint32_t> positions(tokens);
        for (std::uint32_t i = 0; i < tokens; ++i)
            positions[i] = i;
        scores[tokens / 2] = 0.125f;
        op.scores = system.put(scores);
        op.importance = system.put(std::vector<std::uint16_t>(tokens));
        op.positions = system.put(positions);
        op.lengths = system.put<std::uint32_t>({tokens});
        op.now = system.put<std::uint32_t>({now});
        op.arrival = system.put<std::uint32_t>({tokens - 1});
        op.next = system.put<std::uint32_t>({0});
        op.gather = system.take(4 * tokens);
    }
};

} // namespace levee::test
