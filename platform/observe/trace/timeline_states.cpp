// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_states.hpp"

namespace levee::trace {

TimelineStates::Line& TimelineStates::line(const std::string& track)
{
    const auto [at, is_new] = lines_.try_emplace(track);
    if (is_new) {
        const auto number = static_cast<std::uint32_t>(lines_.size());
        at->second.track = {process_, number};
        writer_.name_thread(at->second.track, track, number);
    }
    return at->second;
}

void TimelineStates::enter(const std::string& track, const std::string& state, std::uint64_t ps)
{
    Line& own = line(track);
    if (own.state == state)
        return;
    leave(own, ps);
    own.state = state;
    own.since = ps;
}

void TimelineStates::reach(const std::string& track, const std::string& what, std::uint64_t ps)
{
    Line& own = line(track);
    own.state = what;
    leave(own, ps);
    own.since = ps;
}

void TimelineStates::leave(Line& line, std::uint64_t ps)
{
    if (!line.state.empty() && ps > line.since)
        writer_.span(line.track, line.since, ps - line.since, line.state, {});
    line.state.clear();
}

void TimelineStates::finish(std::uint64_t ps)
{
    for (auto& [name, line] : lines_)
        leave(line, ps);
}

} // namespace levee::trace
