// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/text_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace levee::trace {

/// A track of a timeline.
struct Track {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
};

/// Writer of Chrome's trace event format (JSON object form), which Perfetto opens. Times are in
/// picoseconds and must not decrease within a track. `args` holds members of a JSON object and may
/// be empty.
class TimelineWriter {
public:
    /// Throws std::runtime_error if the file cannot be created.
    explicit TimelineWriter(const std::filesystem::path& path);

    void name_process(std::uint32_t process, const std::string& name);
    /// `order` sorts the threads of a process, lowest first.
    void name_thread(Track track, const std::string& name, std::uint32_t order);

    void begin(Track track, std::uint64_t ps, std::string_view name);
    void end(Track track, std::uint64_t ps);
    void span(Track track, std::uint64_t ps, std::uint64_t duration_ps, std::string_view name,
              std::string_view args);

    /// An arrow through spans: it starts in the span around the first time and passes the span
    /// around, or beginning at, each later time. All its points have the same `id` and `name`.
    enum class Arrow { Start, Step, Finish };
    void arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
               std::string_view name = "command");

    void counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                 std::string_view unit, std::string_view value);

    /// Throws std::runtime_error if the file could not be written completely.
    void close();

private:
    void start(char phase, Track track);
    void start(char phase, Track track, std::uint64_t ps);
    void finish(std::string_view rest);
    void event(char phase, Track track, std::string_view rest);
    void timed(char phase, Track track, std::uint64_t ps, std::string_view rest);

    TextFile file_;
    bool first_ = true;
    std::string text_; ///< of the event being written
};

/// A JSON string.
[[nodiscard]] std::string json_string(std::string_view text);

/// Picoseconds as exact microseconds: "12.000345".
[[nodiscard]] std::string microseconds(std::uint64_t ps);

} // namespace levee::trace
