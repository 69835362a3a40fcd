// SPDX-License-Identifier: Apache-2.0
// An eDRAM side's banks access by access, for comparison with the rule streams are priced by: each
// bank pair takes one access at a time; streams get bytes in equal turns, row by row in order.
#pragma once

#include "ip/common/flow.hpp"
#include "ip/edram/geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram_test {

struct BankStream {
    AccessPattern pattern;
    Direction direction = Direction::Read;
};

/// When each stream has moved all its bytes, ps. `window`: accesses that a stream has in flight.
inline std::vector<Picoseconds> bank_by_bank(const edram::Geometry& geometry,
                                             const std::vector<BankStream>& streams,
                                             Picoseconds access, std::size_t window = 16)
{
    struct State {
        std::deque<unsigned> to_come; // banks, in order
        std::deque<unsigned> waiting; // issued, not served
        Picoseconds done = 0;
    };
    std::vector<State> states;
    for (const BankStream& stream : streams) {
        State state;
        stream.pattern.for_each_run([&](std::uint64_t start) {
            const std::uint64_t last = (start + stream.pattern.run_bytes - 1) / 32;
            for (std::uint64_t unit = start / 32; unit <= last; ++unit) {
                const auto at = geometry.locate(unit * 32 + 1);
                state.to_come.push_back(at.bank);
            }
        });
        states.push_back(std::move(state));
    }
    std::vector<unsigned> turn(geometry.banks, 0); // whom a bank served last
    for (Picoseconds now = access;; now += access) {
        bool busy = false;
        for (State& state : states)
            while (state.waiting.size() < window && !state.to_come.empty()) {
                state.waiting.push_back(state.to_come.front());
                state.to_come.pop_front();
            }
        for (unsigned bank = 0; bank < geometry.banks; ++bank)
            for (std::size_t i = 1; i <= states.size(); ++i) {
                const std::size_t who = (turn[bank] + i) % states.size();
                auto& waiting = states[who].waiting;
                const auto at = std::find(waiting.begin(), waiting.end(), bank);
                if (at == waiting.end())
                    continue;
                waiting.erase(at);
                states[who].done = now;
                turn[bank] = static_cast<unsigned>(who);
                break;
            }
        for (const State& state : states)
            busy = busy || !state.waiting.empty() || !state.to_come.empty();
        if (!busy)
            break;
    }
    std::vector<Picoseconds> done;
    for (const State& state : states)
        done.push_back(state.done);
    return done;
}

} // namespace levee::edram_test
