// SPDX-License-Identifier: Apache-2.0
#include "test/edram_cycle/cycle_edram.hpp"

#include <algorithm>
#include <numeric>

namespace levee::edram_cycle {

CycleEdram::CycleEdram(const Machine& machine, const std::vector<Line>& lines) : machine_(machine)
{
    for (unsigned bank = 0; bank < 2 * machine.sides * machine.pairs; ++bank) {
        banks_.push_back({0, {}, {}, {}});
        for (const unsigned low : {0u, 1u})
            banks_.back().rounds.push_back({{}, 2 * low + bank % 2});
    }
    const std::size_t of_side = machine.side_bytes / (2 * machine.row_bytes);
    for (std::size_t line = 0; line < lines.size(); ++line) {
        if (lines[line] == Line::Invalid)
            continue;
        const std::size_t pair = line / of_side * machine.pairs + line % of_side % machine.pairs;
        for (const std::size_t half : {0u, 1u})
            banks_[2 * pair + half].rounds[lines[line] == Line::High ? 0 : 1].rows.push_back(
                2 * line + half);
    }
    outcome_.times.assign(2 * lines.size(), 0);
}

/// Lists the bank pair of each access of a stream. An access moves a port's width from both banks.
void CycleEdram::place(const Stream& stream)
{
    Flow flow;
    flow.least_time = stream.least_time;
    const AccessPattern& p = stream.pattern;
    const std::uint64_t step = 2 * machine_.port_bytes;
    const auto run = [&](std::int64_t address) {
        const auto start = static_cast<std::uint64_t>(address);
        for (std::uint64_t at = start / step * step; at < start + p.run_bytes; at += step) {
            const std::uint64_t side = at / machine_.side_bytes;
            const std::uint64_t line = at % machine_.side_bytes / (2 * machine_.row_bytes);
            flow.pairs.push_back(
                static_cast<unsigned>(side * machine_.pairs + line % machine_.pairs));
        }
    };
    for (std::uint64_t i = 0; i < p.runs(); ++i) {
        const std::uint64_t k = i % p.count[2], j = i / p.count[2] % p.count[1];
        run(static_cast<std::int64_t>(p.address) +
            static_cast<std::int64_t>(i / p.count[2] / p.count[1]) * p.stride[0] +
            static_cast<std::int64_t>(j) * p.stride[1] +
            static_cast<std::int64_t>(k) * p.stride[2]);
    }
    flows_.push_back(std::move(flow));
}

Outcome CycleEdram::run(const std::vector<Stream>& streams, Ps end)
{
    for (const Stream& stream : streams)
        place(stream);
    for (Bank& bank : banks_)
        bank.asked.resize(flows_.size());
    const Ps tick = std::gcd(machine_.access, machine_.refresh);
    for (Ps now = 0; now <= end || !all_done(); now += tick) {
        ask(tick);
        for (Bank& bank : banks_) {
            begin_turns(bank, now);
            serve(bank, now);
        }
    }
    for (const Flow& flow : flows_)
        outcome_.done.push_back(flow.done);
    return outcome_;
}

bool CycleEdram::all_done() const
{
    return std::all_of(flows_.begin(), flows_.end(),
                       [](const Flow& flow) { return flow.served == 2 * flow.pairs.size(); });
}

/// Each stream requests accesses as far as its window and its pace permit.
void CycleEdram::ask(Ps tick)
{
    constexpr double burst = 16.0; // Accesses that a stream may catch up on after a wait.
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        Flow& flow = flows_[i];
        if (flow.least_time > 0)
            flow.may_ask += static_cast<double>(tick) * static_cast<double>(flow.pairs.size()) /
                            static_cast<double>(flow.least_time);
        else
            flow.may_ask = burst + static_cast<double>(window);
        if (flow.in_flight.empty())
            catch_up(flow);
        while (flow.asked < flow.pairs.size() && flow.in_flight.size() < window &&
               flow.may_ask >= 1.0) {
            const unsigned pair = flow.pairs[flow.asked];
            flow.in_flight.push_back({pair});
            banks_[2 * pair].asked[i].push_back(flow.asked);
            banks_[2 * pair + 1].asked[i].push_back(flow.asked);
            ++flow.asked;
            flow.may_ask -= 1.0;
        }
        flow.may_ask = std::min(flow.may_ask, burst);
    }
}

/// Updates the share of a stream that was idle, so that it cannot claim turns that it did not use.
void CycleEdram::catch_up(Flow& flow)
{
    std::size_t least = SIZE_MAX;
    for (const Flow& other : flows_)
        if (!other.in_flight.empty())
            least = std::min(least, other.share);
    if (least != SIZE_MAX)
        flow.share = std::max(flow.share, least);
}

/// In a round that refreshes n rows, the turn of row t begins t / n of an interval after the
/// round's start.
void CycleEdram::begin_turns(Bank& bank, Ps now)
{
    for (Round& round : bank.rounds) {
        const Ps interval = machine_.intervals[round.group];
        const std::uint64_t rows = round.rows.size();
        if (rows == 0 || interval == 0)
            continue;
        for (; round.next * interval / rows <= now; ++round.next)
            bank.owed.push_back({round.next * interval / rows, (round.next + 1) * interval / rows,
                                 round.rows[round.next % rows], round.group});
    }
}

void CycleEdram::serve(Bank& bank, Ps now)
{
    if (bank.free_at > now)
        return;
    const bool must = std::any_of(bank.owed.begin(), bank.owed.end(),
                                  [now](const Turn& turn) { return turn.ends <= now; });
    if (!must && move(bank, now))
        return;
    if (!bank.owed.empty())
        refresh(bank, now);
}

/// Refreshes the row whose turn ends first.
void CycleEdram::refresh(Bank& bank, Ps now)
{
    const auto first =
        std::min_element(bank.owed.begin(), bank.owed.end(),
                         [](const Turn& a, const Turn& b) { return a.ends < b.ends; });
    if (now > first->ends)
        outcome_.latest = std::max(outcome_.latest, now - first->ends);
    ++outcome_.times[first->row];
    ++outcome_.refreshed[first->group];
    bank.owed.erase(first);
    bank.free_at = now + machine_.refresh;
}

/// Serves a waiting access of the stream that was served least, if any access waits.
bool CycleEdram::move(Bank& bank, Ps now)
{
    Flow* next = nullptr;
    std::deque<std::size_t>* from = nullptr;
    for (std::size_t i = 0; i < flows_.size(); ++i)
        if (!bank.asked[i].empty() && (next == nullptr || flows_[i].share < next->share)) {
            next = &flows_[i];
            from = &bank.asked[i];
        }
    if (next == nullptr)
        return false;
    --next->in_flight[from->front() - next->first_in_flight].to_come;
    from->pop_front();
    ++next->served;
    ++next->share;
    while (!next->in_flight.empty() && next->in_flight.front().to_come == 0) {
        next->in_flight.pop_front();
        ++next->first_in_flight;
    }
    bank.free_at = now + machine_.access;
    next->done = bank.free_at;
    return true;
}

} // namespace levee::edram_cycle
