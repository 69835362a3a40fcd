// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/price_choice.hpp"

#include <algorithm>

namespace levee::dram {

namespace {

/// The recent time that is examined: at least this many refresh intervals, and this part of the
/// time since the first stream. It is halved when it is twice as long.
constexpr Picoseconds least_intervals = 16;
constexpr Picoseconds part_of_all = 8;
/// Share below which short streams that have mattered no longer do.
constexpr double weighs_until = PriceChoice::weighs_from / 2;

} // namespace

PriceChoice::PriceChoice(const Parameters& parameters)
    : mode_(parameters.controller.prices), ps_per_byte_(1e12 / parameters.peak_bytes_per_s()),
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
    if (schedules_) {
        scheduled_bytes_ += bytes;
        longest_scheduled_ = std::max(longest_scheduled_, bytes);
    } else if (bytes < least_by_kind)
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

} // namespace levee::dram
