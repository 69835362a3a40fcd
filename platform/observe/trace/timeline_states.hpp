// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/timeline_writer.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace levee::trace {

/// Tracks of a process; each is in one named state at a time, or in none. A track is created when
/// it is first mentioned.
class TimelineStates {
public:
    /// `writer` must outlive this.
    TimelineStates(TimelineWriter& writer, std::uint32_t process)
        : writer_(writer), process_(process)
    {
    }

    /// Puts the track into `state` from `ps` on; empty: no state.
    void enter(const std::string& track, const std::string& state, std::uint64_t ps);
    /// Marks the time since the last such call, or since time zero, as spent on reaching `what`.
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
