// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_waits.hpp"

#include "platform/observe/trace/timeline_writer.hpp"

#include <iterator>

namespace levee::trace {

void TimelineWaits::fetched(std::size_t line, const levee_descriptor& descriptor)
{
    for (std::size_t i = 0; i < std::size(waits_[line].all); ++i) {
        const std::uint8_t counter = descriptor.wait_counter[i];
        const std::uint32_t value = descriptor.wait_value[i];
        const bool is_open = counter != LEVEE_NO_COUNTER && counters_.has(counter) &&
                             !counters_.reached(counter, value);
        waits_[line].all[i] = {counter, value, is_open, std::nullopt, {}};
    }
}

void TimelineWaits::changed(std::uint32_t counter, Picoseconds now)
{
    latest_.clear();
    for (Waits& waits : waits_)
        for (Wait& wait : waits.all)
            if (wait.is_open && wait.counter == counter && counters_.reached(counter, wait.value)) {
                wait.is_open = false;
                wait.reached_at = now;
                wait.by = "the core";
                latest_.push_back(&wait);
            }
}

void TimelineWaits::raised(std::uint32_t counter, const std::string& by)
{
    for (Wait* wait : latest_)
        if (wait->counter == counter)
            wait->by = by;
    latest_.clear();
}

std::string TimelineWaits::blamed(std::size_t line) const
{
    const Wait* last = nullptr;
    for (const Wait& wait : waits_[line].all) {
        if (wait.is_open)
            return "counter " + std::to_string(wait.counter) + " to reach " +
                   std::to_string(wait.value);
        if (wait.reached_at && (last == nullptr || *wait.reached_at >= *last->reached_at))
            last = &wait;
    }
    return last != nullptr ? last->by : "the other end of a stream port";
}

std::string TimelineWaits::satisfied(std::size_t line, std::size_t index) const
{
    const Wait& wait = waits_[line].all[index];
    return wait.reached_at ? "at " + microseconds(*wait.reached_at) + " us by " + wait.by : "";
}

} // namespace levee::trace
