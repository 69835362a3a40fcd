// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "platform/observe/trace/call_tracker.hpp"
#include "platform/observe/trace/json_timeline.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace levee::trace {

/// A call stack's track of a timeline in JSON. Calls may be a few instructions apart, so their
/// events are assembled from prepared parts, and the compressor is given the parts that are
/// repeats.
class TimelineCalls : public CallListener {
public:
    /// `writer`, which has named the track, and `clock` must outlive this.
    TimelineCalls(JsonTimeline& writer, const riscv::Clock& clock, Track track);

    void enter(const Function& function, std::uint64_t cycle) override;
    void leave(std::uint64_t cycle) override;

private:
    enum Kind { begin, end, kinds };
    /// Room for a text. It is always copied whole, since copies of a constant size are faster.
    static constexpr std::size_t most_head = 80, most_copied = 48;

    /// An event up to its time's point: ,\n{"ph":"B","pid":2,"tid":1,"ts":12.
    struct Head {
        std::array<char, most_head> text{};
        std::size_t untimed = 0; ///< number of characters before the time
        std::size_t size = 0;
    };
    /// Two successive events in the file.
    struct Pair {
        std::uint64_t at = 0;   ///< position of the last three digits of the first one's time
        std::uint64_t time = 0; ///< Those digits and the whole microseconds of the second time, in
                                ///< ps.
    };
    /// Text of an event after its time: ,"name":"main"}
    struct Tail {
        const Function* function = nullptr;
        std::string text; ///< Text of at least most_copied characters.
        std::size_t size = 0;
        std::array<Pair, kinds> followed{}; ///< Latest pair whose second event is of this kind.
    };

    void event(Kind kind, Tail& tail, std::uint64_t cycle);
    void repeat(Kind kind);
    [[nodiscard]] Tail& tail_of(const Function& function);
    static void set(Tail& tail, std::string text);
    void set_whole(std::uint64_t ps);

    TextFile& file_;
    const riscv::Clock& clock_;
    std::array<Head, kinds> heads_;
    std::array<Tail, 256> begins_; ///< beginnings of the latest functions
    Tail end_;
    Tail* latest_ = &end_;            ///< the latest event
    std::uint32_t latest_digits_ = 0; ///< the last three digits of the latest event's time
    std::uint64_t latest_at_ = 0;     ///< Position of the latest text.
    std::uint64_t written_ = 0;       ///< Position after the latest event.
    std::uint64_t whole_ps_ = 0;      ///< whole microseconds of heads_
};

} // namespace levee::trace
