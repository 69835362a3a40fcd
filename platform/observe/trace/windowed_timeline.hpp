// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/timeline_writer.hpp"
#include "platform/observe/trace/trace_window.hpp"

#include <map>
#include <set>

namespace levee::trace {

/// Writes the part of a timeline that a window covers. Spans are cut to their first and last
/// covered time. At the start of each piece of the window, open calls and the counters' values are
/// written.
class WindowedTimeline final : public TimelineWriter {
public:
    /// Both must outlive this object.
    WindowedTimeline(TimelineWriter& whole, const Window& window) : whole_(whole), window_(window)
    {
    }

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
    using Key = std::pair<std::uint32_t, std::uint32_t>;
    /// A track's latest span that is not inside another span.
    struct Latest {
        Window::Piece whole;
        std::optional<Window::Piece> cut; ///< part inside the window; none: the span is outside it
    };
    struct Value {
        std::string unit, value;
        bool is_new;
    };

    [[nodiscard]] const Window::Piece* cut_around(Track track, std::uint64_t ps) const;
    void begin_pieces(std::uint64_t ps);

    TimelineWriter& whole_;
    const Window& window_;
    std::map<Key, Latest> latest_;
    std::set<std::uint64_t> arrows_;
    std::map<std::pair<std::uint32_t, std::string>, Value> values_;
    std::size_t begun_ = 0;
    Calls* calls_ = nullptr;
    Key call_track_;
};

} // namespace levee::trace
