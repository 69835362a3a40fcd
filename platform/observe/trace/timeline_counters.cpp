// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_counters.hpp"

namespace levee::trace {

std::size_t TimelineCounters::add(std::uint32_t process, std::string name, std::string unit)
{
    writer_.counter(process, 0, name, unit, "0");
    counters_.push_back({process, std::move(name), std::move(unit), "0", "0"});
    return counters_.size() - 1;
}

void TimelineCounters::set(std::size_t counter, std::uint64_t ps, std::string value)
{
    if (ps != now_)
        flush();
    now_ = ps;
    counters_[counter].value = std::move(value);
}

void TimelineCounters::flush()
{
    for (Counter& counter : counters_) {
        if (counter.value == counter.written)
            continue;
        writer_.counter(counter.process, now_, counter.name, counter.unit, counter.value);
        counter.written = counter.value;
    }
}

} // namespace levee::trace
