// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/timeline_writer.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace levee::trace {

/// The tracks of a process. Each track is in one named state at a time, or in none. A track's first
/// use creates it.
class TimelineStates {
public:
    /// `writer` must outlive this object.
    TimelineStates(TimelineWriter& writer, std::uint32_t process)
        : writer_(writer), process_(process)
    {
    }

    /// Puts the track into `state` from `ps` on. An empty state means none.
    void enter(const std::string& track, const std::string& state, std::uint64_t ps);
    /// Adds a span named `what` until `ps`, from the previous call for this track or time zero.
    void reach(const std::string& track, const std::string& what, std::uint64_t ps);
    /// Ends the states of all tracks.
    void finish(std::uint64_t ps);

private:
    struct Line {
        Track track;
        std::string state;
        std::uint64_t since = 0;
    };
    Line& line(const std::string& track);
    void leave(Line& line, std::uint64_t ps);

    TimelineWriter& writer_;
    std::uint32_t process_;
    std::map<std::string, Line> lines_;
};

} // namespace levee::trace
