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

/// A side's bank pairs with the accesses of some streams.
class BankModel {
public:
    /// `window`: accesses that a stream has in flight.
    BankModel(const edram::Geometry& geometry, const std::vector<BankStream>& streams,
              std::size_t window)
        : window_(window), turn_(geometry.banks, 0)
    {
        for (const BankStream& stream : streams) {
            State& state = states_.emplace_back();
            stream.pattern.for_each_run([&](std::uint64_t start) {
                const std::uint64_t last = (start + stream.pattern.run_bytes - 1) / 32;
                for (std::uint64_t unit = start / 32; unit <= last; ++unit)
                    state.to_come.push_back(geometry.locate(unit * 32 + 1).bank);
            });
        }
    }
    /// Every bank serves one access, which ends at `now`. Returns whether accesses are left.
    bool step(Picoseconds now)
    {
        for (State& state : states_)
            while (state.waiting.size() < window_ && !state.to_come.empty()) {
                state.waiting.push_back(state.to_come.front());
                state.to_come.pop_front();
            }
        for (unsigned bank = 0; bank < turn_.size(); ++bank)
            serve(bank, now);
        return std::any_of(states_.begin(), states_.end(), [](const State& state) {
            return !state.waiting.empty() || !state.to_come.empty();
        });
    }
    /// When each stream's last access ended.
    std::vector<Picoseconds> done() const
    {
        std::vector<Picoseconds> done;
        for (const State& state : states_)
            done.push_back(state.done);
        return done;
    }

private:
    struct State {
        std::deque<unsigned> to_come; // banks, in order
        std::deque<unsigned> waiting; // issued, not served
        Picoseconds done = 0;
    };

    /// One access of the next stream in turn that waits for the bank.
    void serve(unsigned bank, Picoseconds now)
    {
        for (std::size_t i = 1; i <= states_.size(); ++i) {
            const std::size_t who = (turn_[bank] + i) % states_.size();
            auto& waiting = states_[who].waiting;
            const auto at = std::find(waiting.begin(), waiting.end(), bank);
            if (at == waiting.end())
                continue;
            waiting.erase(at);
            states_[who].done = now;
            turn_[bank] = static_cast<unsigned>(who);
            return;
        }
    }

    std::size_t window_;
    std::vector<unsigned> turn_; // the stream that a bank served last
    std::vector<State> states_;
};

/// When each stream has moved all its bytes, ps. `window`: accesses that a stream has in flight.
inline std::vector<Picoseconds> bank_by_bank(const edram::Geometry& geometry,
                                             const std::vector<BankStream>& streams,
                                             Picoseconds access, std::size_t window = 16)
{
    BankModel model(geometry, streams, window);
    for (Picoseconds now = access; model.step(now);)
        now += access;
    return model.done();
}

} // namespace levee::edram_test
