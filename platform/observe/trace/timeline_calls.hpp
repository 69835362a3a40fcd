// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "platform/observe/trace/call_tracker.hpp"
#include "platform/observe/trace/json_timeline.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace levee::trace {

/// Writes a call stack's track to a JSON timeline. It must be fast, since calls may be only a few
/// instructions apart. It assembles events from prepared parts, and tells the compressor which
/// parts repeat.
class TimelineCalls : public CallListener {
public:
    /// `writer` and `clock` must outlive this object. The writer must already have named the track.
    TimelineCalls(JsonTimeline& writer, const riscv::Clock& clock, Track track);

    void enter(const Function& function, std::uint64_t cycle) override;
    void leave(std::uint64_t cycle) override;

private:
    enum Kind { begin, end, kinds };
    /// Sizes of the prepared parts. A part is always copied whole, since copies of a constant size
    /// are faster.
    static constexpr std::size_t most_head = 80, most_copied = 48;

    /// An event's text up to its time's decimal point: ,\n{"ph":"B","pid":2,"tid":1,"ts":12.
    struct Head {
        std::array<char, most_head> text{};
        std::size_t untimed = 0;
        std::size_t size = 0;
    };
    /// Two successive events.
    struct Pair {
        std::uint64_t at = 0;   ///< position in the file of the last three digits of the first
                                ///< event's time
        std::uint64_t time = 0; ///< the second event's time in whole microseconds, plus the first
                                ///< event's last three digits, in ps
    };
    /// An event's text after its time, such as ,"name":"main"}
    struct Tail {
        const Function* function = nullptr;
        std::string text; ///< the text, padded to at least most_copied characters
        std::size_t size = 0;
        std::array<Pair, kinds> followed{}; ///< for each kind, the latest pair of this event and a
                                            ///< following event of that kind
    };

    void event(Kind kind, Tail& tail, std::uint64_t cycle);
    void repeat(Kind kind);
    [[nodiscard]] Tail& tail_of(const Function& function);
    static void set(Tail& tail, std::string text);
    void set_whole(std::uint64_t ps);

    TextFile& file_;
    const riscv::Clock& clock_;
    std::array<Head, kinds> heads_;
    std::array<Tail, 256> begins_;
    Tail end_;
    Tail* latest_ = &end_;
    std::uint32_t latest_digits_ = 0;
    std::uint64_t latest_at_ = 0;
    std::uint64_t written_ = 0;
    std::uint64_t whole_ps_ = 0;
};

} // namespace levee::trace
