// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/timeline_writer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::trace {

/// Writes counter values over time. For each time, only the last value is written, and only if it
/// differs from the previous value.
class TimelineCounters {
public:
    explicit TimelineCounters(TimelineWriter& writer) : writer_(writer) {}

    /// Returns the counter's number.
    std::size_t add(std::uint32_t process, std::string name, std::string unit);
    /// `ps` must not decrease from call to call, even between different counters.
    void set(std::size_t counter, std::uint64_t ps, std::string value);
    void flush();

private:
    struct Counter {
        std::uint32_t process;
        std::string name, unit, value, written;
    };
    TimelineWriter& writer_;
    std::vector<Counter> counters_;
    std::uint64_t now_ = 0;
};

} // namespace levee::trace
