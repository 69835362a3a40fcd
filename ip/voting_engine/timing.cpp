// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/timing.hpp"

#include <algorithm>

namespace levee::voting_engine {

/// Returns the number of elements that have left the FIFO before `cycle`. `cycle` must not decrease
/// from call to call.
std::uint64_t EntryTime::left_before(std::uint64_t cycle)
{
    while (passes_.size() > 1 && passes_.front().begin + passes_.front().length <= cycle)
        passes_.pop_front();
    if (passes_.empty())
        return 0;
    const Pass& pass = passes_.front();
    const std::uint64_t elapsed = cycle > pass.begin ? cycle - pass.begin : 0;
    return pass.first + std::min(elapsed, pass.length);
}

void EntryTime::skip_stall()
{
    if (next_ >= stalled_from_ && next_ < stalled_to_)
        next_ = stalled_to_;
}

void EntryTime::take_element()
{
    skip_stall();
    while (elements_ - left_before(next_) >= capacity_) {
        ++next_;
        skip_stall();
    }
    ++elements_;
    ++next_;
}

void EntryTime::add(std::uint64_t length)
{
    const bool is_first = elements_ == 0;
    for (std::uint64_t taken = 0; taken < length;) {
        const std::uint64_t rest = length - taken;
        if (next_ >= stalled_to_ && elements_ + rest - left_before(next_) <= capacity_) {
            elements_ += rest; // The remaining elements enter without delay.
            next_ += rest;
            break;
        }
        take_element();
        ++taken;
    }
    taken_ = next_;
    skip_stall(); // The previous vector's stall ends before this vector begins.
    // The sum is complete two cycles after the last element. The sum is handed over as soon as the
    // previous vector's threshold is in use.
    std::uint64_t complete = taken_ - 1 + square_stages + sum_stages;
    std::uint64_t handed_over = complete;
    std::uint64_t begin = complete + 1 + threshold_stages;
    if (!is_first) {
        const Pass& before = passes_.back();
        complete = std::max(complete, handed_over_ + 1);
        handed_over = std::max(complete, before.begin + 1);
        begin = std::max(handed_over + 1 + threshold_stages, before.begin + before.length);
    }
    stalled_from_ = complete;
    stalled_to_ = handed_over;
    handed_over_ = handed_over;
    passes_.push_back({begin, elements_ - length, length});
}

std::uint64_t EntryTime::passed() const
{
    if (passes_.empty())
        return 0;
    return passes_.back().begin + passes_.back().length + pass_stages;
}

} // namespace levee::voting_engine
