// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/address_map.hpp"
#include "ip/dram/burst_walk.hpp"
#include "ip/dram/channel_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace levee::dram {

/// A block's buffer: how far a stream of an activity may be ahead of another one of it, and how far
/// behind its pace without holding up the block. An assumption.
inline constexpr double lockstep_bytes = 1024;

/// A stream to be scheduled: real addresses, real length.
struct FiniteStream {
    AccessPattern pattern; ///< not empty
    Direction direction = Direction::Read;
    std::uint64_t bytes = 0;  ///< > 0
    std::uint64_t seed = 0;   ///< of the places of a scattered pattern
    std::uint64_t group = 0;  ///< streams of one group move together, by lockstep_bytes
    std::uint64_t passed = 0; ///< of its bytes, before: less than all
};

/// Schedules finite streams on all channels, command by command and clock by clock, from a DRAM at
/// rest: what is queued and which rows are open lasts from one mix of streams to the next. A read
/// is done with its last data, a write when the controller has taken its last burst. Can be copied,
/// to look ahead. Channels meet only where streams ask: a full queue holds up all. In between, each
/// is scheduled by itself, and only as far as the next question or end needs it.
class StreamSchedule {
public:
    using Id = std::uint16_t;
    static constexpr double at_once = std::numeric_limits<double>::infinity();
    static constexpr Id core = std::numeric_limits<Id>::max(); ///< no stream, but a core

    /// The arguments outlive this object.
    StreamSchedule(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// Starts a stream now. Its number is valid until it is released or
    /// cancelled.
    [[nodiscard]] Id add(const FiniteStream& stream);
    /// Forgets a stream that is done, or will be within a few clocks: what it has left is still
    /// transferred.
    void release(Id id) { sources_[id].is_active = false; }
    /// Ends a stream here and now. Writes that have been accepted stay.
    void cancel(Id id);
    /// From now on the stream asks for `bytes_per_clock` at most. If it falls behind, it catches up
    /// as much as its block's buffer holds; what it is held up for beyond that delays the rest.
    void set_pace(Id id, double bytes_per_clock);

    /// Runs until `clock`, or until so many more bursts have been transferred.
    void run_until(Clock clock, std::uint64_t bursts);
    /// The same, but no further than until a group is done. True: one is.
    bool run_to_end_of_group(Clock clock, std::uint64_t bursts);
    /// When a core's read of some bursts (address / burst_bytes), asked for now, has its data. It
    /// goes before all others.
    [[nodiscard]] Clock read_by_core(std::uint64_t first, std::uint64_t last);
    /// Lets each stream pass over what it moves in `clocks` at its rate, with the state of the
    /// memory unchanged: now() stays.
    void pass_over(double clocks, const std::vector<double>& bytes_per_clock);

    /// First clock not scheduled.
    [[nodiscard]] Clock now() const { return now_; }
    [[nodiscard]] bool done(Id id) const { return sources_[id].done_at != no_time; }
    /// Clock after its last data (a read), or at which its last burst is taken (a write).
    [[nodiscard]] Clock done_at(Id id) const { return sources_[id].done_at; }
    /// Bytes transferred (a read) or taken (a write).
    [[nodiscard]] double moved(Id id) const;
    [[nodiscard]] double left(Id id) const { return sources_[id].bytes - moved(id); }
    /// Clock at which its pace has let all of it pass, if nothing holds it up from now on.
    [[nodiscard]] double end_at_pace(Id id) const;
    /// Bytes that its block has taken from its buffer at its pace. They are at most a buffer ahead
    /// of the bytes that it has asked for, unless it has asked for all. Without a pace: moved
    /// bytes.
    [[nodiscard]] double paced(Id id) const;
    [[nodiscard]] std::uint64_t rows_opened() const { return rows_; }
    [[nodiscard]] std::uint64_t bursts() const { return served_; }
    /// Nothing waits and no stream has anything left to ask.
    [[nodiscard]] bool idle() const;

private:
    struct Source {
        explicit Source(const BurstWalk& bursts) : walk(bursts) {}

        BurstWalk walk;
        bool write = false;
        bool asks = true;       ///< has a burst to ask for: `step`
        bool is_active = false; ///< not yet released
        bool in_step = false;   ///< others of its group have their turns
        std::uint64_t group = 0;
        double bytes = 0.0;
        double asked = 0.0; ///< bytes
        double served = 0.0;
        double pace = at_once, pace_from_bytes = 0.0; ///< bytes per clock
        Clock pace_from = 0;       ///< later by the clocks for which it was held up
        Clock asks_from = 0;       ///< its pace lets it ask for `step`
        double share = 0.0;        ///< of its bytes for which it has asked: in_step
        double share_of_all = 0.0; ///< that others of its group have to have asked for before
        std::int64_t credit = 0;
        std::uint32_t in_flight = 0; ///< bursts
        Clock data_end = 0;          ///< of the bursts transferred
        Clock done_at = no_time;
        BurstWalk::Step step;
        std::uint64_t row_part = no_time; ///< of the burst's address: above the low column bits
        std::uint32_t channel = 0, bank = 0, row = 0;
    };

    /// A channel, all of whose commands before `at` are scheduled.
    struct Line {
        ChannelSchedule schedule;
        Clock at = 0;
        Clock next = 0;       ///< of its next command
        bool is_stale = true; ///< that is to be found out
    };

    /// The limits that others set to a stream that asks alone.
    struct Company {
        double least_share = 1.0; ///< of those of its group
        double share_waited_for =
            at_once;               ///< the first of those of its group that wait for it asks
        Clock asks_from = no_time; ///< the first of those that may ask
    };

    void run(Clock clock, std::uint64_t bursts, bool to_end_of_group);
    [[nodiscard]] Clock undisturbed_until(Clock clock, std::uint64_t last,
                                          bool to_end_of_group) const;
    void go_on_asking(Clock until);
    [[nodiscard]] Company company_of(Id id) const;
    void forget_released();
    void leave(std::size_t turn);
    void note_company();
    void fetch(Source& source);
    void arbitrate();
    void ask(Id id);
    void next_turn();
    static void has_asked(Source& source, double bytes);
    static void find_shares(Source& source);
    static void find_asks_from(Source& source);
    static Clock paced_from(const Source& source, double bytes);
    void pace_from_now(Source& source, double bytes_per_clock, double passed) const;
    [[nodiscard]] bool may_ask(const Source& source);
    [[nodiscard]] bool in_step(const Source& source) const;
    static void look_again(Line& line);
    bool issue(std::size_t line, bool write, Clock until);
    void advance(std::size_t line, Clock until)
    {
        if (lines_[line].at < until)
            go_on_to(line, until);
    }
    void go_on_to(std::size_t line, Clock until);
    void wait_for_room(Clock until);
    void look_for_end();
    [[nodiscard]] Clock least_end(Id id, std::size_t& line);
    void served(const ChannelSchedule::Served& burst, std::size_t line);
    void finish(Source& source, Clock clock);
    [[nodiscard]] std::uint32_t& waiting_at(Id id, std::size_t line)
    {
        return waiting_at_[id * lines_.size() + line];
    }

    const Parameters* parameters_;
    const AddressMap* map_;
    Clock spacing_; ///< of bursts on a channel, at least
    std::vector<Line> lines_;
    std::vector<Source> sources_;           ///< by Id; those released are used again
    std::vector<std::uint32_t> waiting_at_; ///< reads in flight, by Id and line
    std::vector<Id> turns_;                 ///< those not released, or not yet done
    std::size_t turn_ = 0;
    Clock now_ = 0;
    Clock ask_at_ = 0;                     ///< from when streams could ask again
    std::optional<std::size_t> full_line_; ///< of the queue that holds up all streams
    bool full_write_ = false;              ///< its direction
    std::uint64_t age_ = 1;
    std::uint64_t served_ = 0; ///< bursts
    std::uint64_t rows_ = 0;
    bool group_done_ = false;
    Clock core_data_ = 0;          ///< end of the data of a core's read
    std::uint64_t core_waits_ = 0; ///< bursts
    Clock no_end_before_ = 0;      ///< no group is done before this clock
};

} // namespace levee::dram
