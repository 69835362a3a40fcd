// SPDX-License-Identifier: Apache-2.0
// Decides which commands the timing rules allow in a channel now.
#include "test/dram_cycle/channel_controller.hpp"

#include <algorithm>

namespace levee::dram_cycle {

bool ChannelController::may_activate(const Rank& rank, unsigned b) const
{
    const Bank& bank = rank.banks[b];
    if (bank.row || !after(bank.activated, t_.rc) ||
        !since(bank.precharged, static_cast<std::uint64_t>(bank.recovery)) ||
        !after(bank.refreshed, t_.rfc_bank) || !after(rank.refreshed_all, t_.rfc_all) ||
        !after(rank.refreshed_bank, t_.refresh_to_activate) || !after(rank.activated[0], t_.faw))
        return false;
    for (unsigned other = 0; other < rank.banks.size(); ++other)
        if (!after(rank.banks[other].activated,
                   group_of(other) == group_of(b) ? t_.rrd_l : t_.rrd_s))
            return false;
    return true;
}

bool ChannelController::may_precharge(const Rank& rank, const Bank& bank) const
{
    return bank.row && after(bank.opened, t_.ras) && after(bank.read, t_.rtp) &&
           since(bank.written, latency(true) + in_clocks_.burst + in_clocks_(t_.wr)) &&
           since(rank.precharged, t_.ppd_clocks);
}

bool ChannelController::may_refresh(const Rank& rank, unsigned b) const
{
    const Bank& bank = rank.banks[b];
    if (!after(bank.activated, t_.rc) ||
        !since(bank.precharged, static_cast<std::uint64_t>(bank.recovery)) ||
        !after(bank.refreshed, t_.rfc_bank) || !after(rank.refreshed_all, t_.rfc_all) ||
        !after(rank.refreshed_bank, t_.refresh_to_refresh))
        return false;
    return std::all_of(rank.banks.begin(), rank.banks.end(),
                       [&](const Bank& other) { return after(other.activated, t_.rrd_s); });
}

bool ChannelController::may_read_or_write(const Request& request) const
{
    const bool write = request.write;
    const Bank& bank = ranks_[request.rank].banks[request.bank];
    if (!after(bank.opened, write ? t_.rcd_write : t_.rcd_read))
        return false;
    const auto& groups = columns_[request.rank];
    for (unsigned g = 0; g < groups.size(); ++g) {
        const bool same = g == group_of(request.bank);
        if (!since(groups[g][write], same ? t_.ccd_l_clocks : t_.ccd_s_clocks))
            return false;
        if (!write && !since(groups[g][1], latency(true) + in_clocks_.burst +
                                               in_clocks_(same ? t_.wtr_l : t_.wtr_s)))
            return false;
    }
    const unsigned to_rank = request.rank != data_rank_ ? t_.rank_clocks : 0;
    const unsigned to_write = write && !data_write_ ? t_.turnaround_clocks : 0;
    const auto data_from = now_ + static_cast<std::int64_t>(latency(write));
    return data_from >= data_end_ + static_cast<std::int64_t>(std::max(to_rank, to_write));
}

} // namespace levee::dram_cycle
