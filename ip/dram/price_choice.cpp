// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/price_choice.hpp"

#include <algorithm>

namespace levee::dram {

namespace {

/// The share of short streams is measured over a window of recent time. Its least length is this
/// many refresh intervals or, if longer, 1 / part_of_all of the time since the first stream. When
/// the window reaches twice its least length, it is halved.
constexpr Picoseconds least_intervals = 16;
constexpr Picoseconds part_of_all = 8;
/// Share of short streams below which all streams are priced by kind again.
constexpr double weighs_until = PriceChoice::weighs_from / 2;

constexpr double many_banks = 2.0; // Banks of a rank in refresh at a time (exactness.md).

} // namespace

PriceChoice::PriceChoice(const Parameters& parameters)
    : mode_(parameters.controller.prices),
      ps_per_byte_(static_cast<double>(ps_per_second) / parameters.peak_bytes_per_s()),
      shortest_(least_intervals * parameters.timing.refi),
      schedules_(mode_ == PriceMode::BySchedule)
{
}

void PriceChoice::begins(std::uint64_t bytes, Picoseconds now)
{
    if (bytes_ == 0)
        first_ = since_ = now;
    bytes_ += bytes;
    if (bytes < least_by_kind)
        short_ps_ += at_peak(bytes);
    if (mode_ == PriceMode::Automatic)
        decide(now);
    if (schedules_)
        scheduled_bytes_ += bytes;
    else if (bytes < least_by_kind)
        short_by_kind_ += bytes;
}

void PriceChoice::decide(Picoseconds now)
{
    const Picoseconds longest = 2 * std::max(shortest_, (now - first_) / part_of_all);
    for (; now - since_ >= longest; since_ = now - (now - since_) / 2)
        short_ps_ /= 2;
    const auto elapsed = static_cast<double>(std::max(shortest_, now - since_));
    schedules_ = short_ps_ > (schedules_ ? weighs_until : weighs_from) * elapsed;
}

bool PriceChoice::misprices(Picoseconds now) const
{
    return at_peak(short_by_kind_) > weighs_from * static_cast<double>(now);
}

double banks_in_refresh(const Parameters& parameters)
{
    const Timing& timing = parameters.timing;
    return static_cast<double>(timing.rfc_bank) * parameters.banks_per_rank() /
           static_cast<double>(timing.refi);
}

bool refreshed_banks_hold_up(const Parameters& parameters)
{
    if (parameters.refresh != RefreshMode::PerBank)
        return false;
    const Clocks c = clocks(parameters);
    const Clock overtaken = c.burst * parameters.controller.patience;
    return banks_in_refresh(parameters) >= many_banks || overtaken < c.rfc_bank;
}

} // namespace levee::dram
