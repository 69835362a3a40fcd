// SPDX-License-Identifier: Apache-2.0
#include "test/dram_cycle/channel_controller.hpp"

#include <algorithm>

namespace levee::dram_cycle {

ChannelController::ChannelController(const dram::Parameters& parameters, Manner manner)
    : parameters_(parameters), manner_(manner), in_clocks_(parameters), t_(parameters.timing),
      checker_(parameters, manner == Manner::Ramulator), ranks_(parameters.organisation.ranks),
      columns_(parameters.organisation.ranks,
               std::vector<std::array<std::int64_t, 2>>(parameters.organisation.bank_groups,
                                                        {long_ago, long_ago}))
{
    for (Rank& rank : ranks_)
        rank.banks.resize(parameters.banks_per_rank());
    wanted_.resize(ranks_.size() * parameters.banks_per_rank());
}

bool ChannelController::accepts(bool write) const
{
    return write ? writes_.size() < parameters_.controller.write_queue
                 : reads_.size() < parameters_.controller.read_queue;
}

void ChannelController::accept(const Request& request)
{
    std::deque<Request>& queue = request.write ? writes_ : reads_;
    queue.push_back(request);
    queue.back().served_before = served_[request.write];
}

std::optional<ChannelController::Done> ChannelController::tick(std::uint64_t clock)
{
    now_ = static_cast<std::int64_t>(clock);
    std::optional<Done> done;
    choose_direction();
    second_activate(true);
    if (now_ >= row_bus_free_)
        for (unsigned r = 0; r < ranks_.size(); ++r)
            if (refresh(r))
                break;
    survey();
    if (manner_ == Manner::Ramulator)
        return oldest_first();
    if (manner_ == Manner::DramSys && now_ >= row_bus_free_)
        row_command(true);
    if (now_ >= column_bus_free_)
        done = column_command();
    if (now_ >= row_bus_free_ && !second_activate(false) && !row_command() &&
        parameters_.refresh == dram::RefreshMode::PerBank)
        for (unsigned r = 0; r < ranks_.size(); ++r)
            if (refresh_one_bank(r, false))
                break;
    return done;
}

void ChannelController::choose_direction()
{
    if (manner_ != Manner::Own) {
        draining_ = drains_to_low_mark();
        return;
    }
    if (parameters_.controller.batching == dram::BatchingMode::ReadsFirst) {
        draining_ = !writes_.empty() && (reads_.empty() || !accepts(true));
        return;
    }
    const bool served = in_a_row_ >= parameters_.controller.batch;
    const bool to_reads = draining_ && (writes_.empty() || (!reads_.empty() && served));
    const bool to_writes =
        !draining_ && !writes_.empty() &&
        (reads_.empty() || (writes_.size() >= parameters_.controller.write_high && served));
    if (to_reads || to_writes) {
        draining_ = to_writes;
        in_a_row_ = 0;
    }
}

// Refresh

std::uint64_t ChannelController::owed(unsigned rank) const
{
    const bool all = parameters_.refresh == dram::RefreshMode::AllBank;
    const std::uint64_t interval =
        in_clocks_.refresh_interval / (all ? 1 : parameters_.banks_per_rank());
    // The refreshes of rank r are due later than those of rank 0, by r / ranks of an interval.
    const std::uint64_t first = interval * (rank + 1) / ranks_.size();
    const auto now = static_cast<std::uint64_t>(now_);
    const std::uint64_t due = now < first ? 0 : (now - first) / interval + 1;
    return due - ranks_[rank].refreshes;
}

const std::vector<std::size_t>& ChannelController::waiting_for(unsigned rank)
{
    waiting_.assign(ranks_[rank].banks.size(), 0);
    for (const std::deque<Request>* const queue : {&reads_, &writes_})
        for (const Request& request : *queue)
            waiting_[request.bank] += request.rank == rank;
    return waiting_;
}

/// Issues refreshes that cannot be postponed further. Returns true if a command was issued.
bool ChannelController::refresh(unsigned r)
{
    if (parameters_.refresh == dram::RefreshMode::AllBank)
        return refresh_rank(r);
    return refresh_one_bank(r, true);
}

bool ChannelController::refresh_one_bank(unsigned r, bool only_forced)
{
    Rank& rank = ranks_[r];
    const std::uint64_t due = owed(r);
    if (due == 0)
        return false;
    if (!rank.quiesced) {
        std::optional<unsigned> least;
        std::size_t fewest = 0;
        const std::vector<std::size_t>& waiting = waiting_for(r);
        for (unsigned b = 0; b < rank.banks.size(); ++b) {
            if (rank.banks[b].had_its_turn)
                continue;
            if (!least || waiting[b] < fewest) {
                least = b;
                fewest = waiting[b];
            }
        }
        if (fewest == 0)
            return !only_forced && close_or_refresh(r, *least);
        if (due < parameters_.controller.refresh_slack)
            return false;
        rank.quiesced = least;
    }
    return only_forced && close_or_refresh(r, *rank.quiesced);
}

bool ChannelController::close_or_refresh(unsigned r, unsigned b)
{
    Rank& rank = ranks_[r];
    if (rank.banks[b].row) {
        if (!may_precharge(rank, rank.banks[b]))
            return false;
        issue(CommandKind::Precharge, r, b, 0);
        return true;
    }
    if (opening_ || !may_refresh(rank, b))
        return false;
    issue(CommandKind::RefreshBank, r, b, 0);
    rank.quiesced.reset();
    return true;
}

bool ChannelController::refresh_rank(unsigned r)
{
    Rank& rank = ranks_[r];
    const std::uint64_t due = owed(r);
    const auto waits = [r](const Request& request) { return request.rank == r; };
    const bool any_waits =
        std::ranges::any_of(reads_, waits) || std::ranges::any_of(writes_, waits);
    if (due == 0 || (!rank.blocked && any_waits && due < parameters_.controller.refresh_slack))
        return false;
    rank.blocked = true;
    if (opening_ || !openers_.empty())
        return false;
    bool any_open = false;
    for (const Bank& bank : rank.banks) {
        any_open = any_open || bank.row;
        if (bank.row && !may_precharge(rank, bank))
            return false;
    }
    if (any_open) {
        issue(CommandKind::PrechargeAll, r, 0, 0);
        return true;
    }
    for (const Bank& bank : rank.banks)
        if (!since(bank.precharged, static_cast<std::uint64_t>(bank.recovery)) ||
            !after(bank.activated, t_.rc))
            return false;
    if (!after(rank.refreshed_all, t_.rfc_all))
        return false;
    issue(CommandKind::RefreshAll, r, 0, 0);
    return true;
}

// Commands

/// Finds out which banks the waiting requests of the current direction need.
void ChannelController::survey()
{
    std::fill(wanted_.begin(), wanted_.end(), Wanted{});
    urgent_ready_ = false;
    std::deque<Request>& queue = draining_ ? writes_ : reads_;
    // A request that has been overtaken too often becomes as urgent as a core's read.
    if (!queue.empty() && !in_order() &&
        served_[draining_] - queue.front().served_before > parameters_.controller.patience)
        queue.front().urgent = true;
    for (const Request& request : queue) {
        Wanted& wanted = wanted_of(request);
        const bool hits = hit(request);
        wanted.hit = wanted.hit || hits;
        wanted.urgent = wanted.urgent || request.urgent;
        wanted.urgent_hit = wanted.urgent_hit || (request.urgent && hits);
        // A core's read that hits an open row goes before all other bursts.
        urgent_ready_ = urgent_ready_ || (request.urgent && hits &&
                                          after(ranks_[request.rank].banks[request.bank].opened,
                                                draining_ ? t_.rcd_write : t_.rcd_read));
    }
}

/// Issues the oldest possible request that hits an open row. A core's requests go first: while one
/// waits for a bank, the bank serves only the core.
std::optional<ChannelController::Done> ChannelController::column_command()
{
    std::deque<Request>& queue = draining_ ? writes_ : reads_;
    auto best = queue.end();
    for (auto it = queue.begin(); it != queue.end(); ++it) {
        const bool others_first = !it->urgent && (urgent_ready_ || wanted_of(*it).urgent ||
                                                  (in_order() && it != queue.begin()));
        const bool no_better = best != queue.end() && (best->urgent || !it->urgent);
        if (!no_better && !others_first && hit(*it) && !barred(*it) && may_read_or_write(*it))
            best = it;
    }
    if (best == queue.end())
        return std::nullopt;
    const Request request = *best;
    queue.erase(best);
    return transfer(request);
}

ChannelController::Done ChannelController::transfer(const Request& request)
{
    issue(request.write ? CommandKind::Write : CommandKind::Read, request.rank, request.bank,
          request.row);
    ++in_a_row_;
    ++served_[request.write];
    return Done{request, static_cast<std::uint64_t>(data_end_)};
}

/// Issues the second command of an activate in the first free clock, at the latest when its window
/// ends.
bool ChannelController::second_activate(bool at_the_latest)
{
    if (!opening_ || now_ < row_bus_free_ || (at_the_latest && now_ < opening_->by))
        return false;
    issue(CommandKind::SecondActivate, opening_->rank, opening_->bank, opening_->row);
    return true;
}

/// Opens the row of the oldest request for a closed bank, or closes a row that no request needs.
bool ChannelController::row_command(bool only_precharge)
{
    const Request* best = nullptr;
    const std::deque<Request>& queue = draining_ ? writes_ : reads_;
    const Request* const first = queue.empty() ? nullptr : &queue.front();
    for (const Request& request : queue) {
        const Wanted& wanted = wanted_of(request);
        const bool hits = in_order() ? hit(request) : wanted.hit;
        const bool row_stays = request.urgent ? wanted.urgent_hit : hits || wanted.urgent;
        const bool no_better = best != nullptr && (best->urgent || !request.urgent);
        const bool waits = in_order() && !request.urgent && &request != first;
        if (no_better || row_stays || waits || barred(request))
            continue;
        const Rank& rank = ranks_[request.rank];
        const Bank& bank = rank.banks[request.bank];
        if (!bank.row && (opening_ || only_precharge))
            continue;
        if (bank.row ? may_precharge(rank, bank) : may_activate(rank, request.bank))
            best = &request;
    }
    if (best == nullptr)
        return false;
    const bool open = ranks_[best->rank].banks[best->bank].row.has_value();
    issue(open ? CommandKind::Precharge : CommandKind::Activate, best->rank, best->bank, best->row);
    return true;
}

void ChannelController::issue(CommandKind kind, unsigned r, unsigned b, std::uint32_t row)
{
    checker_.check(Command{static_cast<std::uint64_t>(now_), kind, r, b, row});
    ++issued_[static_cast<std::size_t>(kind)];
    const bool column = kind == CommandKind::Read || kind == CommandKind::Write;
    if (column)
        record_data(kind == CommandKind::Write, r, b);
    else if (kind == CommandKind::RefreshBank || kind == CommandKind::RefreshAll)
        record_refresh(kind, r, b);
    else
        record_row(kind, r, b, row);
    const std::int64_t free = now_ + bus_clocks(kind);
    if (!parameters_.command_bus.split)
        row_bus_free_ = column_bus_free_ = free;
    else
        (column ? column_bus_free_ : row_bus_free_) = free;
}

/// Returns the number of clocks that a command takes on the command bus.
unsigned ChannelController::bus_clocks(CommandKind kind) const
{
    const dram::CommandBus& bus = parameters_.command_bus;
    switch (kind) {
    case CommandKind::Activate:
        return bus.activate_window == 0 ? bus.activate_clocks : bus.activate_clocks / 2;
    case CommandKind::SecondActivate:
        return bus.activate_clocks - bus.activate_clocks / 2;
    case CommandKind::Precharge:
    case CommandKind::PrechargeAll:
        return bus.precharge_clocks;
    case CommandKind::Read:
    case CommandKind::Write:
        return bus.column_clocks;
    default:
        return bus.refresh_clocks;
    }
}

void ChannelController::record_row(CommandKind kind, unsigned r, unsigned b, std::uint32_t row)
{
    Rank& rank = ranks_[r];
    Bank& bank = rank.banks[b];
    if (kind == CommandKind::Activate) {
        bank.row = row;
        bank.activated = bank.opened = now_;
        if (const unsigned window = parameters_.command_bus.activate_window; window > 0) {
            bank.opened = not_yet;
            opening_ = Opening{r, b, row, now_ + window};
        }
        std::rotate(rank.activated.begin(), rank.activated.begin() + 1, rank.activated.end());
        rank.activated[3] = now_;
    } else if (kind == CommandKind::SecondActivate) {
        bank.opened = manner_ == Manner::Ramulator ? bank.activated : now_;
        opening_.reset();
    } else if (kind == CommandKind::Precharge) {
        bank.row.reset();
        bank.precharged = rank.precharged = now_;
        bank.recovery = static_cast<std::int64_t>(in_clocks_(t_.rp));
    } else {
        rank.precharged = now_;
        for (Bank& each : rank.banks) {
            each.row.reset();
            each.precharged = now_;
            each.recovery = static_cast<std::int64_t>(in_clocks_(t_.rp_all));
        }
    }
}

void ChannelController::record_data(bool write, unsigned r, unsigned b)
{
    Bank& bank = ranks_[r].banks[b];
    (write ? bank.written : bank.read) = now_;
    columns_[r][group_of(b)][write] = now_;
    data_end_ = now_ + static_cast<std::int64_t>(latency(write) + in_clocks_.burst);
    data_rank_ = r;
    data_write_ = write;
}

void ChannelController::record_refresh(CommandKind kind, unsigned r, unsigned b)
{
    Rank& rank = ranks_[r];
    ++rank.refreshes;
    if (kind == CommandKind::RefreshAll) {
        rank.refreshed_all = now_;
        rank.blocked = false;
        return;
    }
    Bank& bank = rank.banks[b];
    bank.refreshed = rank.refreshed_bank = now_;
    bank.had_its_turn = true;
    const bool round_over = std::all_of(rank.banks.begin(), rank.banks.end(),
                                        [](const Bank& each) { return each.had_its_turn; });
    for (Bank& each : rank.banks)
        each.had_its_turn = each.had_its_turn && !round_over;
}

} // namespace levee::dram_cycle
