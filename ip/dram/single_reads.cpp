// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/single_reads.hpp"

#include <algorithm>

namespace levee::dram {

SingleReads::SingleReads(const Parameters& parameters, const Clocks& clocks, const AddressMap& map)
    : parameters_(parameters), c_(clocks), map_(map),
      banks_(std::size_t{parameters.organisation.channels} * parameters.organisation.ranks *
             parameters.banks_per_rank())
{
}

Clock SingleReads::read(std::uint64_t address, unsigned bytes, Clock now)
{
    const std::uint64_t burst_bytes = parameters_.burst_bytes();
    const std::uint64_t last = (address + std::max(bytes, 1U) - 1) / burst_bytes;
    Clock end = 0;
    Clock from = now;
    for (std::uint64_t burst = address / burst_bytes; burst <= last; ++burst) {
        end = std::max(end, read_burst(map_.locate(burst), from));
        from += c_.ccd_l;
    }
    return end - now;
}

void SingleReads::write(std::uint64_t address, unsigned bytes, Clock now)
{
    const std::uint64_t burst_bytes = parameters_.burst_bytes();
    const std::uint64_t last = (address + std::max(bytes, 1U) - 1) / burst_bytes;
    for (std::uint64_t burst = address / burst_bytes; burst <= last; ++burst) {
        const Location at = map_.locate(burst);
        rows_ += opens(bank_of(at), at, last_refresh(at, now), now) ? 1 : 0;
    }
}

SingleReads::Bank& SingleReads::bank_of(const Location& at)
{
    const std::size_t rank = std::size_t{at.channel} * parameters_.organisation.ranks + at.rank;
    return banks_[rank * parameters_.banks_per_rank() + at.bank];
}

bool SingleReads::opens(Bank& bank, const Location& at, const Refresh& refresh, Clock now)
{
    const bool open = bank.last_era == era_ && bank.last_row == at.row &&
                      (!refresh.any || refresh.due <= bank.last_at);
    bank.last_era = era_;
    bank.last_row = at.row;
    bank.last_at = now;
    return !open;
}

/// All banks of a rank are due together, or one after the other in a fixed order. Those of rank r
/// are due r / ranks of an interval after the first rank's.
SingleReads::Refresh SingleReads::last_refresh(const Location& at, Clock now) const
{
    const unsigned ranks = parameters_.organisation.ranks;
    const bool all = parameters_.refresh == RefreshMode::AllBank;
    const unsigned turns = all ? 1 : parameters_.banks_per_rank();
    const Clock interval = c_.refi / turns;
    const Clock first = interval * (at.rank + 1) / ranks + interval * (all ? 0 : at.bank);
    if (now < first)
        return {};
    const Clock round = interval * turns;
    return Refresh{first + (now - first) / round * round, true};
}

Clock SingleReads::read_burst(const Location& at, Clock now)
{
    Bank& bank = bank_of(at);
    const bool streams_passed = bank.era != era_;
    if (streams_passed) {
        bank.era = era_;
        bank.open = true;
        bank.row = ~at.row;
        bank.activated = bank.used = 0;
    }
    const Refresh refresh = last_refresh(at, now);
    rows_ += opens(bank, at, refresh, now) ? 1 : 0;
    Clock activate_from = bank.activated > 0 ? bank.activated + c_.rc : 0;
    if (refresh.any && refresh.due > bank.used && !streams_passed) {
        const bool all = parameters_.refresh == RefreshMode::AllBank;
        const Clock closes = bank.open ? (all ? c_.rp_all : c_.rp) : 0;
        activate_from =
            std::max(activate_from, refresh.due + closes + (all ? c_.rfc_all : c_.rfc_bank));
        bank.open = false;
    }
    Clock column = std::max(now, bank.used + c_.ccd_l);
    if (!bank.open || bank.row != at.row) {
        Clock activate = now;
        if (bank.open)
            activate = std::max({now, bank.activated + c_.ras, bank.used + c_.rtp}) + c_.rp;
        bank.activated = std::max(activate, activate_from);
        // After a two-part activate, times count from its second part.
        const CommandBus& bus = parameters_.command_bus;
        const Clock second = bus.activate_window > 0 ? bus.activate_clocks / 2 : 0;
        column = bank.activated + second + c_.rcd_read;
    }
    bank.open = true;
    bank.row = at.row;
    bank.used = bank.last_at = column;
    return column + c_.read_latency + c_.burst;
}

} // namespace levee::dram
