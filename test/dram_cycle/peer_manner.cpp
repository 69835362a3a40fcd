// SPDX-License-Identifier: Apache-2.0
// Choices of other simulators among legal commands, where their choices differ from this
// controller's. They make our measurements comparable with theirs rule by rule. The choices are our
// reading of their sources, in the versions of dram_peers.md.
#include "test/dram_cycle/channel_controller.hpp"

#include <algorithm>

namespace levee::dram_cycle {

/// Both peers drain the write queue from a high to a low mark, even if reads and writes arrive
/// meanwhile.
bool ChannelController::drains_to_low_mark() const
{
    const unsigned high = parameters_.controller.write_high;
    const unsigned low = parameters_.controller.write_queue - high;
    if (writes_.empty() || reads_.empty())
        return !writes_.empty();
    return draining_ ? writes_.size() >= low : writes_.size() > high;
}

/// Ramulator serves the oldest request whose next command is possible. Requests that have opened a
/// row go before all others.
std::optional<ChannelController::Done> ChannelController::oldest_first()
{
    std::optional<Done> done;
    const auto step = [&](bool column, bool row) {
        return first_possible(openers_, column, row, done) ||
               first_possible(draining_ ? writes_ : reads_, column, row, done);
    };
    if (!parameters_.command_bus.split) {
        if (now_ >= row_bus_free_ && !step(true, true))
            second_activate(false);
        return done;
    }
    if (now_ >= column_bus_free_)
        step(true, false);
    if (now_ >= row_bus_free_)
        step(false, true);
    return done;
}

/// Finds the first request of `queue` whose next command is of one of the given kinds and legal
/// now, and issues it. Returns whether a command was issued.
bool ChannelController::first_possible(std::deque<Request>& queue, bool column, bool row,
                                       std::optional<Done>& done)
{
    // By bank: whether an older request still needs the open row.
    std::vector<bool> kept(wanted_.size());
    for (const Request& opener : openers_)
        kept[index_of(opener)] = true;
    for (auto it = queue.begin(); it != queue.end(); ++it) {
        const Rank& rank = ranks_[it->rank];
        const Bank& bank = rank.banks[it->bank];
        const bool hits = hit(*it);
        bool possible = !barred(*it) || &queue == &openers_;
        if (hits)
            possible = possible && column && may_read_or_write(*it);
        else if (bank.row)
            possible = possible && row && !kept[index_of(*it)] && may_precharge(rank, bank);
        else
            possible = possible && row && !opening_ && may_activate(rank, it->bank);
        if (possible) {
            take_step(queue, it, done);
            return true;
        }
        kept[index_of(*it)] = kept[index_of(*it)] || hits;
    }
    return false;
}

/// Issues a request's next command. A request that has opened its row leaves the queue and frees
/// its place.
void ChannelController::take_step(std::deque<Request>& queue, std::deque<Request>::iterator at,
                                  std::optional<Done>& done)
{
    const Request request = *at;
    if (hit(request)) {
        queue.erase(at);
        done = transfer(request);
    } else if (ranks_[request.rank].banks[request.bank].row) {
        issue(CommandKind::Precharge, request.rank, request.bank, request.row);
    } else {
        queue.erase(at);
        openers_.push_back(request);
        issue(CommandKind::Activate, request.rank, request.bank, request.row);
    }
}

} // namespace levee::dram_cycle
