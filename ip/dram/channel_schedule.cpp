#include "ip/dram/channel_schedule.hpp"

#include <algorithm>
#include <bit>

namespace levee::dram {

namespace {

// Which of the commands possible at one time goes first.
constexpr unsigned refresh_first = 0;
constexpr unsigned urgent_column = 1;
constexpr unsigned column = 2;
constexpr unsigned urgent_row = 3;
constexpr unsigned row = 4;
constexpr unsigned refresh_last = 5;

} // namespace

ChannelSchedule::ChannelSchedule(const Parameters& parameters, const Clocks& clocks)
    : parameters_(parameters), c_(clocks), banks_per_rank_(parameters.banks_per_rank()),
      refresh_interval_(parameters.refresh == RefreshMode::AllBank ? clocks.refi
                                                                   : clocks.refi / banks_per_rank_),
      capacity_{parameters.controller.read_queue, parameters.controller.write_queue},
      banks_(std::size_t{parameters.organisation.ranks} * banks_per_rank_),
      ranks_(parameters.organisation.ranks)
{
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        rank.group_activate_at.resize(parameters.organisation.bank_groups, 0);
        rank.group_column_at.resize(parameters.organisation.bank_groups, {0, 0});
        // As in the midst of work: the first may not wait any longer.
        rank.owed = parameters.controller.refresh_slack - 1;
        // Ranks take turns, so that they are not refreshed together.
        rank.next_due = refresh_interval_ * (r + 1) / ranks_.size();
    }
}

void ChannelSchedule::arrive(unsigned rank, unsigned bank, bool write, const WaitingBurst& burst,
                             std::uint64_t now)
{
    const unsigned index = rank * banks_per_rank_ + bank;
    banks_[index].waiting[write].push_back(burst);
    banks_[index].waiting[write].back().served_before = served_[write];
    banks_[index].urgent[write] += burst.urgent ? 1 : 0;
    occupied_[write] |= std::uint64_t{1} << index;
    ++queued_[write];
    urgent_[write] += burst.urgent ? 1 : 0;
    now_ = std::max(now_, now);
    // What was chosen stands, unless this burst turns the bus or is for the bank chosen.
    const bool was_writing = writing_;
    choose_direction();
    if (writing_ != was_writing || next_.bank == index || burst.urgent)
        chosen_ = false;
    else if (chosen_ && write == writing_)
        consider_bank(index);
}

std::uint64_t ChannelSchedule::next_time()
{
    if (!chosen_)
        choose();
    return next_.time;
}

void ChannelSchedule::consider(const Choice& choice)
{
    Choice at_once = choice;
    at_once.time = std::max(at_once.time, now_);
    if (at_once.time < next_.time ||
        (at_once.time == next_.time &&
         (at_once.urgency < next_.urgency ||
          (at_once.urgency == next_.urgency && at_once.age < next_.age))))
        next_ = at_once;
}

void ChannelSchedule::choose()
{
    next_ = Choice{};
    choose_direction();
    lose_patience();
    hold_for_urgent();
    for (unsigned r = 0; r < ranks_.size(); ++r)
        consider_refresh(r);
    for (std::uint64_t left = occupied_[writing_]; left != 0; left &= left - 1)
        consider_bank(static_cast<unsigned>(std::countr_zero(left)));
    chosen_ = true;
}

void ChannelSchedule::choose_direction()
{
    const Controller& controller = parameters_.controller;
    const bool had_its_batch = in_a_row_ >= controller.batch;
    if (writing_ && (queued_[1] == 0 || (queued_[0] > 0 && had_its_batch)))
        turn(false);
    else if (!writing_ && queued_[1] > 0 &&
             (queued_[0] == 0 || (queued_[1] >= controller.write_high && had_its_batch)))
        turn(true);
}

void ChannelSchedule::turn(bool writing)
{
    writing_ = writing;
    in_a_row_ = 0;
}

/// Makes the oldest burst urgent when too many have overtaken it.
void ChannelSchedule::lose_patience()
{
    WaitingBurst* oldest = nullptr;
    Bank* bank = nullptr;
    for (std::uint64_t left = occupied_[writing_]; left != 0; left &= left - 1) {
        Bank& each = banks_[static_cast<unsigned>(std::countr_zero(left))];
        WaitingBurst& front = each.waiting[writing_].front();
        if (oldest == nullptr || front.age < oldest->age) {
            oldest = &front;
            bank = &each;
        }
    }
    if (oldest == nullptr || oldest->urgent ||
        served_[writing_] - oldest->served_before <= parameters_.controller.patience)
        return;
    oldest->urgent = true;
    ++bank->urgent[writing_];
    ++urgent_[writing_];
}

/// From when on bursts that are not urgent are held back: the others' row hits, one after the
/// other, could keep an urgent one of another rank away from the data bus for good.
void ChannelSchedule::hold_for_urgent()
{
    held_from_ = no_time;
    if (urgent_[writing_] == 0)
        return;
    for (const Bank& bank : banks_) {
        const auto open_hit = [&bank](const WaitingBurst& w) {
            return w.urgent && bank.open && w.row == bank.row;
        };
        const std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
        if (bank.urgent[writing_] > 0 && std::any_of(waiting.begin(), waiting.end(), open_hit))
            held_from_ = std::min(held_from_, bank.column_at[writing_]);
    }
}

void ChannelSchedule::consider_bank(unsigned index)
{
    const Bank& bank = banks_[index];
    const unsigned rank_index = index / banks_per_rank_;
    const Rank& rank = ranks_[rank_index];
    if (rank.blocked || rank.forced == static_cast<int>(index))
        return;
    const std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
    const bool urgent = bank.urgent[writing_] > 0;
    const unsigned group = index % banks_per_rank_ / parameters_.organisation.banks;
    const auto serves = [urgent](const WaitingBurst& w) { return !urgent || w.urgent; };
    const auto oldest = std::find_if(waiting.begin(), waiting.end(), serves);
    Choice choice;
    choice.bank = index;
    choice.age = oldest->age;
    if (!bank.open) {
        choice.kind = Kind::Activate;
        choice.urgency = urgent ? urgent_row : row;
        choice.time = std::max({bank.activate_at, rank.activate_at, rank.group_activate_at[group],
                                rank.activates[rank.oldest], row_bus_at_});
        consider(choice);
        return;
    }
    const auto hit = std::find_if(oldest, waiting.end(), [&](const WaitingBurst& w) {
        return w.row == bank.row && serves(w);
    });
    if (hit == waiting.end()) {
        choice.kind = Kind::Precharge;
        choice.urgency = urgent ? urgent_row : row;
        choice.time = std::max(bank.precharge_at, row_bus_at_);
        consider(choice);
        return;
    }
    choice.kind = Kind::Column;
    choice.urgency = urgent ? urgent_column : column;
    choice.age = hit->age;
    choice.slot = static_cast<std::size_t>(hit - waiting.begin());
    choice.time = std::max({bank.column_at[writing_], rank.column_at[writing_],
                            rank.group_column_at[group][writing_], column_bus_at_});
    if (writing_)
        choice.time = std::max(choice.time, write_after_read_at_);
    const std::uint64_t latency = writing_ ? c_.write_latency : c_.read_latency;
    const std::uint64_t data_from = data_free_ + (rank_index != data_rank_ ? c_.turnaround : 0);
    if (choice.time + latency < data_from)
        choice.time = data_from - latency;
    if (!urgent && choice.time >= held_from_)
        return;
    consider(choice);
}

int ChannelSchedule::idle_bank(unsigned rank) const
{
    for (unsigned b = rank * banks_per_rank_; b < (rank + 1) * banks_per_rank_; ++b)
        if (!banks_[b].refreshed && banks_[b].waiting[0].empty() && banks_[b].waiting[1].empty())
            return static_cast<int>(b);
    return -1;
}

unsigned ChannelSchedule::least_waiting_bank(unsigned rank) const
{
    unsigned best = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (unsigned b = rank * banks_per_rank_; b < (rank + 1) * banks_per_rank_; ++b) {
        const std::size_t waiting = banks_[b].waiting[0].size() + banks_[b].waiting[1].size();
        if (!banks_[b].refreshed && waiting < fewest) {
            best = b;
            fewest = waiting;
        }
    }
    return best;
}

bool ChannelSchedule::rank_idle(unsigned rank) const
{
    for (unsigned b = rank * banks_per_rank_; b < (rank + 1) * banks_per_rank_; ++b)
        if (!banks_[b].waiting[0].empty() || !banks_[b].waiting[1].empty())
            return false;
    return true;
}

void ChannelSchedule::consider_refresh(unsigned r)
{
    Rank& rank = ranks_[r];
    while (rank.next_due <= now_) {
        ++rank.owed;
        rank.next_due += refresh_interval_;
    }
    Choice wake;
    wake.time = rank.next_due;
    wake.urgency = refresh_last;
    consider(wake);
    if (rank.owed == 0)
        return;
    const bool must = rank.owed >= parameters_.controller.refresh_slack;
    if (parameters_.refresh == RefreshMode::AllBank) {
        rank.blocked = rank.blocked || must || rank_idle(r);
        if (rank.blocked)
            consider_rank_refresh(r);
        return;
    }
    if (rank.forced < 0) {
        const int idle = idle_bank(r);
        if (idle >= 0)
            return consider_bank_refresh(r, static_cast<unsigned>(idle), false);
        if (!must)
            return;
        rank.forced = static_cast<int>(least_waiting_bank(r));
    }
    consider_bank_refresh(r, static_cast<unsigned>(rank.forced), true);
}

void ChannelSchedule::consider_bank_refresh(unsigned r, unsigned index, bool forced)
{
    const Bank& bank = banks_[index];
    const Rank& rank = ranks_[r];
    Choice choice;
    choice.bank = index;
    choice.urgency = forced ? refresh_first : refresh_last;
    if (bank.open) {
        choice.kind = Kind::Precharge;
        choice.time = std::max(bank.precharge_at, row_bus_at_);
    } else {
        choice.kind = Kind::RefreshBank;
        choice.time = std::max({bank.activate_at, rank.activate_at, rank.refresh_at, row_bus_at_});
    }
    consider(choice);
}

void ChannelSchedule::consider_rank_refresh(unsigned r)
{
    Choice choice;
    choice.urgency = refresh_first;
    choice.bank = r * banks_per_rank_;
    choice.kind = Kind::RefreshAll;
    choice.time = std::max(ranks_[r].refresh_at, row_bus_at_);
    for (unsigned b = choice.bank; b < choice.bank + banks_per_rank_; ++b)
        if (banks_[b].open)
            choice.kind = Kind::PrechargeAll;
    for (unsigned b = choice.bank; b < choice.bank + banks_per_rank_; ++b) {
        const Bank& bank = banks_[b];
        if (choice.kind == Kind::RefreshAll)
            choice.time = std::max(choice.time, bank.activate_at);
        else if (bank.open)
            choice.time = std::max(choice.time, bank.precharge_at);
    }
    consider(choice);
}

bool ChannelSchedule::issue(Served& served)
{
    now_ = next_.time;
    chosen_ = false;
    switch (next_.kind) {
    case Kind::Column:
        issue_column(served);
        return true;
    case Kind::Activate:
        issue_activate();
        break;
    case Kind::Precharge:
        issue_precharge(next_.bank, c_.rp);
        break;
    case Kind::PrechargeAll:
        for (unsigned b = next_.bank; b < next_.bank + banks_per_rank_; ++b)
            issue_precharge(b, c_.rp_all);
        break;
    case Kind::RefreshBank:
        issue_refresh_bank();
        break;
    case Kind::RefreshAll:
        issue_refresh_all();
        break;
    case Kind::Wake:
        break;
    }
    return false;
}

void ChannelSchedule::issue_column(Served& served)
{
    Bank& bank = banks_[next_.bank];
    std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
    served.burst = waiting[next_.slot];
    served.write = writing_;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next_.slot));
    if (waiting.empty())
        occupied_[writing_] &= ~(std::uint64_t{1} << next_.bank);
    --queued_[writing_];
    ++in_a_row_;
    bank.urgent[writing_] -= served.burst.urgent ? 1 : 0;
    urgent_[writing_] -= served.burst.urgent ? 1 : 0;
    ++served_[writing_];

    const std::uint64_t latency = writing_ ? c_.write_latency : c_.read_latency;
    data_free_ = now_ + latency + c_.burst;
    served.data_end = data_free_;
    data_rank_ = next_.bank / banks_per_rank_;
    bank.precharge_at = std::max(bank.precharge_at, writing_ ? data_free_ + c_.wr : now_ + c_.rtp);
    column_bus_at_ = now_ + parameters_.command_bus.column_clocks;
    if (!parameters_.command_bus.split)
        row_bus_at_ = column_bus_at_;
    after_column(data_rank_, next_.bank % banks_per_rank_ / parameters_.organisation.banks);
}

void ChannelSchedule::after_column(unsigned rank_index, unsigned group)
{
    Rank& rank = ranks_[rank_index];
    rank.column_at[writing_] = now_ + c_.ccd_s;
    rank.group_column_at[group][writing_] = now_ + c_.ccd_l;
    if (writing_) {
        rank.column_at[0] = std::max(rank.column_at[0], data_free_ + c_.wtr_s);
        rank.group_column_at[group][0] =
            std::max(rank.group_column_at[group][0], data_free_ + c_.wtr_l);
    } else {
        const std::uint64_t bus_turned = data_free_ + c_.turnaround;
        write_after_read_at_ = bus_turned > c_.write_latency ? bus_turned - c_.write_latency : 0;
    }
}

void ChannelSchedule::issue_activate()
{
    Bank& bank = banks_[next_.bank];
    Rank& rank = ranks_[next_.bank / banks_per_rank_];
    const unsigned group = next_.bank % banks_per_rank_ / parameters_.organisation.banks;
    const std::vector<WaitingBurst>& waiting = bank.waiting[writing_];
    bank.row = std::find_if(waiting.begin(), waiting.end(), [this](const WaitingBurst& w) {
                   return w.age == next_.age;
               })->row;
    bank.open = true;
    bank.precharge_at = now_ + c_.ras;
    bank.activate_at = now_ + c_.rc;
    bank.column_at = {now_ + c_.rcd_read, now_ + c_.rcd_write};
    rank.activates[rank.oldest] = now_ + c_.faw;
    rank.oldest = (rank.oldest + 1) % 4;
    rank.activate_at = std::max(rank.activate_at, now_ + c_.rrd_s);
    rank.group_activate_at[group] = now_ + c_.rrd_l;
    row_bus_at_ = now_ + parameters_.command_bus.activate_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

void ChannelSchedule::issue_precharge(unsigned index, std::uint64_t recovery)
{
    Bank& bank = banks_[index];
    bank.open = false;
    bank.activate_at = std::max(bank.activate_at, now_ + recovery);
    row_bus_at_ = now_ + parameters_.command_bus.precharge_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

void ChannelSchedule::issue_refresh_bank()
{
    Bank& bank = banks_[next_.bank];
    Rank& rank = ranks_[next_.bank / banks_per_rank_];
    bank.activate_at = now_ + c_.rfc_bank;
    bank.refreshed = true;
    rank.activate_at = std::max(rank.activate_at, now_ + c_.refresh_to_activate);
    rank.refresh_at = now_ + c_.refresh_to_refresh;
    rank.forced = -1;
    --rank.owed;
    if (++rank.refreshed_banks == banks_per_rank_) {
        rank.refreshed_banks = 0;
        const unsigned first = next_.bank / banks_per_rank_ * banks_per_rank_;
        for (unsigned b = first; b < first + banks_per_rank_; ++b)
            banks_[b].refreshed = false;
    }
    row_bus_at_ = now_ + parameters_.command_bus.refresh_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

void ChannelSchedule::issue_refresh_all()
{
    Rank& rank = ranks_[next_.bank / banks_per_rank_];
    for (unsigned b = next_.bank; b < next_.bank + banks_per_rank_; ++b)
        banks_[b].activate_at = now_ + c_.rfc_all;
    rank.refresh_at = now_ + c_.rfc_all;
    rank.blocked = false;
    --rank.owed;
    row_bus_at_ = now_ + parameters_.command_bus.refresh_clocks;
    if (!parameters_.command_bus.split)
        column_bus_at_ = row_bus_at_;
}

} // namespace levee::dram
