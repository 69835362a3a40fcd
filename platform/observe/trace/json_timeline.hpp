// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/text_file.hpp"
#include "platform/observe/trace/timeline_writer.hpp"

#include <array>

namespace levee::trace {

/// Writer of Chrome's trace event format (JSON object form), which Perfetto opens.
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

    /// The file, for events that are assembled elsewhere. None of them can be the first event of
    /// the file: each begins with a comma.
    [[nodiscard]] TextFile& file() { return file_; }

private:
    /// Beginning of an event, up to its time's digits. All of `text` is copied, since copies of a
    /// constant size are quicker.
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
        1;      ///< characters of a head to leave out: the first event has no comma in front
    Head head_; ///< head of the latest event
    /// Digits of the latest time's whole microseconds: most events share them with the previous
    /// one.
    std::uint64_t whole_us_ = UINT64_MAX;
    std::array<char, 20> whole_{};
    std::size_t whole_digits_ = 0;
};

/// The beginning of an event, up to its time: ,\n{"ph":"B","pid":2,"tid":1,"ts":
[[nodiscard]] std::string event_head(char phase, Track track);

/// A JSON string.
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace levee::trace
