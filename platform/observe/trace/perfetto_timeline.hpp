// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/proto_message.hpp"
#include "platform/observe/trace/text_file.hpp"
#include "platform/observe/trace/timeline_writer.hpp"

#include <map>
#include <unordered_map>

namespace levee::trace {

/// Writes Perfetto's binary format. Its times are whole nanoseconds, so fractions are cut off. Each
/// track is a packet sequence. Within a sequence, times are differences, and each text is written
/// only once.
class PerfettoTimeline final : public TimelineWriter {
public:
    /// Throws std::runtime_error if the file cannot be created.
    explicit PerfettoTimeline(const std::filesystem::path& path);

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

private:
    class Calls;
    /// Numbers of the texts that a packet sequence has already defined.
    using Numbers = std::unordered_map<std::string, std::uint64_t>;
    struct Sequence {
        std::uint64_t id = 0; ///< 0: the sequence has no packets yet
        std::uint64_t now_ns = 0;
        Numbers names, keys, values;
    };
    struct Span {
        std::uint64_t ps, end_ps;
        std::string name;
        Arguments arguments;
        /// Arrows that pass through this span, and arrows that end in it.
        std::vector<std::uint64_t> arrows, last_arrows;
    };
    struct Line {
        std::uint64_t uuid = 0;
        Sequence sequence;
        /// An outermost span and all spans inside it. Writing them is delayed, since arrows may
        /// still be added.
        std::vector<Span> open;
    };

    [[nodiscard]] Line& line(Track track);
    void begin_sequence(Sequence& sequence, std::uint64_t uuid);
    /// Returns a text's number. A new text is added to the packet's interned data.
    [[nodiscard]] std::uint64_t number(Numbers& numbers, ProtoField kind, std::string_view text);
    void annotate(Sequence& sequence, const Arguments& arguments);
    void write_event(Sequence& sequence, std::uint64_t ps);
    void write_packet(const Sequence& sequence, std::uint64_t flags);
    void write_begin(Sequence& sequence, const Span& span);
    void write_end(Sequence& sequence, std::uint64_t ps);
    void write_spans(Line& line);

    TextFile file_;
    ProtoMessage packet_, event_, interned_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Line> lines_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> counters_;
    Sequence values_;
    std::uint64_t sequences_ = 0, uuids_ = 0;
};

} // namespace levee::trace
