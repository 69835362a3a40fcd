// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/text_file.hpp"
#include "platform/observe/trace/timeline_writer.hpp"

#include <array>

namespace levee::trace {

/// Writes Chrome's trace event format (as a JSON object), which Perfetto opens.
class JsonTimeline final : public TimelineWriter {
public:
    /// Throws std::runtime_error if the file cannot be created.
    explicit JsonTimeline(const std::filesystem::path& path);

    void name_process(std::uint32_t process, const std::string& name) override;
    void name_thread(Track track, const std::string& name, std::uint32_t order) override;
    void span(Track track, std::uint64_t ps, std::uint64_t duration_ps, std::string_view name,
              const Arguments& arguments) override;
    void arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
               std::string_view name) override;
    void counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                 std::string_view unit, std::string_view value) override;
    [[nodiscard]] std::unique_ptr<CallListener> calls(const riscv::Clock& clock,
                                                      Track track) override;
    void close() override;

    /// Returns the file, for callers that write events themselves. Their events begin with a comma,
    /// so the file must already have an event.
    [[nodiscard]] TextFile& file() { return file_; }

private:
    /// The beginning of an event, up to the digits of its time. The whole array is copied for each
    /// event, since copies of a constant size are faster.
    static constexpr std::size_t most_head = 64;
    struct Head {
        char phase = 0;
        Track track;
        std::array<char, most_head + 1> text{};
        std::size_t size = 0;
    };
    [[nodiscard]] const Head& head(char phase, Track track);
    void event(char phase, Track track, std::string_view rest);
    void timed(char phase, Track track, std::uint64_t ps, std::string_view rest);

    TextFile file_;
    std::size_t skipped_ =
        1; ///< The file's first event has no preceding comma, so one character is skipped.
    Head head_;
    /// The digits of the latest time in whole microseconds. They are kept, since the next event
    /// often has the same ones.
    std::uint64_t whole_us_ = UINT64_MAX;
    std::array<char, 20> whole_{};
    std::size_t whole_digits_ = 0;
};

/// Returns the beginning of an event, up to its time, such as ,\n{"ph":"B","pid":2,"tid":1,"ts":
[[nodiscard]] std::string event_head(char phase, Track track);

/// Returns the text as a JSON string, with quotes and escapes.
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace levee::trace
