// SPDX-License-Identifier: Apache-2.0
#include "test/dram_cycle/jedec_checker.hpp"

#include <algorithm>

namespace levee::dram_cycle {

namespace {

constexpr std::size_t most_faults = 20; // Maximum number of reported faults.

std::int64_t ps(Picoseconds time)
{
    return static_cast<std::int64_t>(time);
}

std::string_view name_of(CommandKind kind)
{
    switch (kind) {
    case CommandKind::Activate:
        return "ACT";
    case CommandKind::SecondActivate:
        return "ACT-2";
    case CommandKind::Precharge:
        return "PRE";
    case CommandKind::PrechargeAll:
        return "PREA";
    case CommandKind::Read:
        return "RD";
    case CommandKind::Write:
        return "WR";
    case CommandKind::RefreshBank:
        return "REFpb";
    case CommandKind::RefreshAll:
        return "REFab";
    }
    return "?";
}

} // namespace

JedecChecker::JedecChecker(const dram::Parameters& parameters, bool rows_from_first)
    : parameters_(parameters), ranks_(parameters.organisation.ranks),
      rows_from_first_(rows_from_first)
{
    for (RankHistory& rank : ranks_) {
        rank.banks.resize(parameters.banks_per_rank());
        rank.groups.resize(parameters.organisation.bank_groups);
    }
}

unsigned JedecChecker::group_of(unsigned bank) const
{
    return bank / parameters_.organisation.banks;
}

std::int64_t JedecChecker::burst_ps() const
{
    const auto beats = static_cast<std::int64_t>(parameters_.organisation.burst_length);
    return beats * 1'000'000'000'000 /
           static_cast<std::int64_t>(parameters_.organisation.data_rate);
}

/// Latencies are set in whole clocks, as in the mode registers.
std::int64_t JedecChecker::latency_ps(bool write) const
{
    const dram::Timing& t = parameters_.timing;
    const std::int64_t clock = ps(t.clock);
    return (ps(write ? t.write_latency : t.read_latency) + clock - 1) / clock * clock;
}

void JedecChecker::fault(const std::string& rule, const Command& command, const std::string& how)
{
    if (faults_.size() < most_faults)
        faults_.push_back(rule + ": " + std::string(name_of(command.kind)) + " at " +
                          std::to_string(now_) + " ps, rank " + std::to_string(command.rank) +
                          " bank " + std::to_string(command.bank) + ": " + how);
}

void JedecChecker::at_least(const char* rule, const Past& since, std::int64_t gap,
                            const Command& command)
{
    if (since && now_ - *since < gap)
        fault(rule, command,
              std::to_string(now_ - *since) + " ps instead of at least " + std::to_string(gap));
}

void JedecChecker::check(const Command& command)
{
    ++checked_;
    now_ = static_cast<std::int64_t>(command.clock) * ps(parameters_.timing.clock);
    check_bus(command);
    check_postponement(command);
    check_second_in_time(command);
    switch (command.kind) {
    case CommandKind::Activate:
        return check_activate(command);
    case CommandKind::SecondActivate:
        return check_second_activate(command);
    case CommandKind::Precharge:
        return check_precharge(command, command.bank);
    case CommandKind::PrechargeAll:
        for (unsigned bank = 0; bank < parameters_.banks_per_rank(); ++bank)
            check_precharge(command, bank);
        return;
    case CommandKind::Read:
        return check_column(command, false);
    case CommandKind::Write:
        return check_column(command, true);
    case CommandKind::RefreshBank:
        return check_refresh_bank(command);
    case CommandKind::RefreshAll:
        return check_refresh_all(command);
    }
}

void JedecChecker::check_bus(const Command& command)
{
    const dram::CommandBus& bus = parameters_.command_bus;
    const bool column = command.kind == CommandKind::Read || command.kind == CommandKind::Write;
    const unsigned first = bus.activate_window > 0 ? bus.activate_clocks / 2 : bus.activate_clocks;
    unsigned clocks = bus.precharge_clocks;
    if (column)
        clocks = bus.column_clocks;
    else if (command.kind == CommandKind::Activate)
        clocks = first;
    else if (command.kind == CommandKind::SecondActivate)
        clocks = bus.activate_clocks - first;
    else if (command.kind == CommandKind::RefreshBank || command.kind == CommandKind::RefreshAll)
        clocks = bus.refresh_clocks;
    Past& free = bus.split && column ? column_bus_free_ : row_bus_free_;
    at_least("command bus", free, 0, command);
    free = now_ + clocks * ps(parameters_.timing.clock);
}

void JedecChecker::check_activate(const Command& command)
{
    const dram::Timing& t = parameters_.timing;
    RankHistory& rank = ranks_[command.rank];
    BankHistory& bank = rank.banks[command.bank];
    GroupHistory& group = rank.groups[group_of(command.bank)];
    if (bank.open)
        fault("bank state", command, "the bank is open");
    at_least("tRC", bank.activate, ps(t.rc), command);
    at_least("tRP", bank.precharge, ps(bank.by_all ? t.rp_all : t.rp), command);
    at_least("tRRD_S", rank.activate, ps(t.rrd_s), command);
    at_least("tRRD_L", group.activate, ps(t.rrd_l), command);
    if (rank.activates.size() == 4) {
        at_least("tFAW", rank.activates.front(), ps(t.faw), command);
        rank.activates.pop_front();
    }
    at_least("tRFCpb", bank.refresh, ps(t.rfc_bank), command);
    at_least("tRFCpb to other bank", rank.refresh_bank, ps(t.refresh_to_activate), command);
    at_least("tRFCab", rank.refresh_all, ps(t.rfc_all), command);
    rank.activates.push_back(now_);
    rank.activate = group.activate = bank.activate = bank.opened = now_;
    bank.open = true;
    bank.row = command.row;
    if (parameters_.command_bus.activate_window > 0)
        first_activate_ = command;
}

void JedecChecker::check_second_activate(const Command& command)
{
    if (!first_activate_ || first_activate_->rank != command.rank ||
        first_activate_->bank != command.bank)
        fault("bank state", command, "no first activate of this bank");
    first_activate_.reset();
    if (!rows_from_first_)
        ranks_[command.rank].banks[command.bank].opened = now_;
}

/// Checks that the second command of an activate is not late. Until then only column commands and
/// precharges of other banks are allowed.
void JedecChecker::check_second_in_time(const Command& command)
{
    if (!first_activate_)
        return;
    const std::uint64_t by = first_activate_->clock + parameters_.command_bus.activate_window;
    if (command.clock > by)
        fault("tAAD", command, "the second activate was due at clock " + std::to_string(by));
    if (command.kind == CommandKind::SecondActivate)
        return;
    const bool same =
        command.rank == first_activate_->rank && command.bank == first_activate_->bank;
    const bool may = command.kind == CommandKind::Precharge || command.kind == CommandKind::Read ||
                     command.kind == CommandKind::Write;
    if (same || !may)
        fault("tAAD", command, "between the two commands of an activate");
}

void JedecChecker::check_column(const Command& command, bool write)
{
    const dram::Timing& t = parameters_.timing;
    const std::int64_t clock = ps(t.clock);
    RankHistory& rank = ranks_[command.rank];
    BankHistory& bank = rank.banks[command.bank];
    GroupHistory& group = rank.groups[group_of(command.bank)];
    if (!bank.open)
        fault("bank state", command, "the bank is closed");
    else if (bank.row != command.row)
        fault("bank state", command,
              "row " + std::to_string(bank.row) + " is open, not " + std::to_string(command.row));
    at_least("tRCD", bank.opened, ps(write ? t.rcd_write : t.rcd_read), command);
    at_least("tCCD_S", write ? rank.write : rank.read, t.ccd_s_clocks * clock, command);
    at_least("tCCD_L", write ? group.write : group.read, t.ccd_l_clocks * clock, command);
    if (!write) {
        at_least("tWTR_S", rank.write_data_end, ps(t.wtr_s), command);
        at_least("tWTR_L", group.write_data_end, ps(t.wtr_l), command);
    }
    check_data_bus(command, write);
    if (write) {
        rank.write = group.write = now_;
        bank.write_data_end = rank.write_data_end = group.write_data_end = data_end_;
    } else {
        rank.read = group.read = bank.read = now_;
    }
}

void JedecChecker::check_data_bus(const Command& command, bool write)
{
    const dram::Timing& t = parameters_.timing;
    const std::int64_t from = now_ + latency_ps(write);
    const unsigned to_rank = command.rank != data_rank_ ? t.rank_clocks : 0;
    const unsigned to_write = write && !data_write_ ? t.turnaround_clocks : 0;
    const std::int64_t idle = std::max(to_rank, to_write) * ps(t.clock);
    if (data_end_ && from - *data_end_ < idle)
        fault(idle > 0 ? "tRTW or tRTRS" : "data bus", command,
              "data " + std::to_string(from - *data_end_) + " ps after the last, not " +
                  std::to_string(idle));
    data_end_ = from + burst_ps();
    data_write_ = write;
    data_rank_ = command.rank;
}

void JedecChecker::check_precharge(const Command& command, unsigned index)
{
    const dram::Timing& t = parameters_.timing;
    RankHistory& rank = ranks_[command.rank];
    BankHistory& bank = rank.banks[index];
    if (command.kind == CommandKind::Precharge || index == 0) {
        at_least("tPPD", rank.precharge, t.ppd_clocks * ps(t.clock), command);
        rank.precharge = now_;
    }
    if (bank.open) {
        at_least("tRAS", bank.opened, ps(t.ras), command);
        at_least("tRTP", bank.read, ps(t.rtp), command);
        at_least("tWR", bank.write_data_end, ps(t.wr), command);
    } else if (command.kind == CommandKind::Precharge) {
        fault("bank state", command, "the bank is closed already");
    }
    bank.open = false;
    bank.precharge = now_;
    bank.by_all = command.kind == CommandKind::PrechargeAll;
}

void JedecChecker::check_refresh_bank(const Command& command)
{
    const dram::Timing& t = parameters_.timing;
    RankHistory& rank = ranks_[command.rank];
    BankHistory& bank = rank.banks[command.bank];
    if (bank.open)
        fault("bank state", command, "refresh of an open bank");
    at_least("tRP", bank.precharge, ps(bank.by_all ? t.rp_all : t.rp), command);
    at_least("tRC", bank.activate, ps(t.rc), command);
    at_least("tRRD_S", rank.activate, ps(t.rrd_s), command);
    at_least("tRFCpb", bank.refresh, ps(t.rfc_bank), command);
    at_least("tRFCpb to refresh", rank.refresh_bank, ps(t.refresh_to_refresh), command);
    at_least("tRFCab", rank.refresh_all, ps(t.rfc_all), command);
    for (const BankHistory& other : rank.banks)
        if (other.refreshes < bank.refreshes)
            return fault("refresh order", command, "another bank has been refreshed less often");
    ++bank.refreshes;
    ++rank.refreshes;
    bank.refresh = rank.refresh_bank = now_;
}

void JedecChecker::check_refresh_all(const Command& command)
{
    const dram::Timing& t = parameters_.timing;
    RankHistory& rank = ranks_[command.rank];
    for (const BankHistory& bank : rank.banks) {
        if (bank.open)
            fault("bank state", command, "refresh with an open bank");
        at_least("tRP", bank.precharge, ps(bank.by_all ? t.rp_all : t.rp), command);
        at_least("tRC", bank.activate, ps(t.rc), command);
        at_least("tRFCpb", bank.refresh, ps(t.rfc_bank), command);
    }
    at_least("tRFCab", rank.refresh_all, ps(t.rfc_all), command);
    rank.refresh_all = now_;
    ++rank.refreshes;
}

void JedecChecker::check_postponement(const Command& command)
{
    const bool all = parameters_.refresh == dram::RefreshMode::AllBank;
    const std::uint64_t each = all ? 1 : parameters_.banks_per_rank();
    const RankHistory& rank = ranks_[command.rank];
    const std::uint64_t due = static_cast<std::uint64_t>(now_) * each / parameters_.timing.refi;
    const std::uint64_t allowed = each * parameters_.timing.postponed_refreshes;
    if (due > rank.refreshes + allowed)
        fault("tREFI", command,
              std::to_string(due - rank.refreshes) + " refreshes overdue, " +
                  std::to_string(allowed) + " allowed");
}

void JedecChecker::finish(std::uint64_t clock)
{
    Command end;
    end.clock = clock;
    now_ = static_cast<std::int64_t>(clock) * ps(parameters_.timing.clock);
    for (end.rank = 0; end.rank < ranks_.size(); ++end.rank)
        check_postponement(end);
    if (checked_ == 0)
        faults_.emplace_back("no command was checked");
}

} // namespace levee::dram_cycle
