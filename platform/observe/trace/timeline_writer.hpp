// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "platform/observe/trace/call_tracker.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace levee::trace {

struct Track {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
};

/// Names and values of a span's arguments.
using Arguments = std::vector<std::pair<std::string, std::string>>;

/// Writes a timeline to a file. Times are in picoseconds and must not decrease within a track.
class TimelineWriter {
public:
    TimelineWriter() = default;
    virtual ~TimelineWriter() = default;
    TimelineWriter(const TimelineWriter&) = delete;
    TimelineWriter& operator=(const TimelineWriter&) = delete;

    virtual void name_process(std::uint32_t process, const std::string& name) = 0;
    /// `order` sorts the threads of a process, lowest first.
    virtual void name_thread(Track track, const std::string& name, std::uint32_t order) = 0;

    virtual void span(Track track, std::uint64_t ps, std::uint64_t duration_ps,
                      std::string_view name, const Arguments& arguments) = 0;

    /// The points of an arrow that leads through spans. They share an `id` and a `name`. Each point
    /// belongs to the span that contains its time.
    enum class Arrow { Start, Step, Finish };
    virtual void arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
                       std::string_view name) = 0;

    /// `value` is a decimal number as text.
    virtual void counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                         std::string_view unit, std::string_view value) = 0;

    /// Returns a writer for the calls on `track`. The track must already have a name, and gets only
    /// calls and beginnings of arrows. `clock` and this object must outlive the result.
    [[nodiscard]] virtual std::unique_ptr<CallListener> calls(const riscv::Clock& clock,
                                                              Track track) = 0;

    /// Throws std::runtime_error if the file could not be written completely.
    virtual void close() = 0;
};

/// Returns whether a file's name selects Perfetto's binary format: `.pftrace` or `.pftrace.gz`.
[[nodiscard]] bool is_perfetto(const std::filesystem::path& path);

/// Selects the format by the file's name: `.pftrace` for Perfetto's binary format, anything else
/// for JSON; `.gz` may follow. Throws std::runtime_error if the file cannot be created.
[[nodiscard]] std::unique_ptr<TimelineWriter>
make_timeline_writer(const std::filesystem::path& path);

/// Returns picoseconds as exact microseconds: "12.000345".
[[nodiscard]] std::string microseconds(std::uint64_t ps);

} // namespace levee::trace
