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

/// Assumed size of a block's buffer. One stream of an activity may be this many bytes
/// ahead of another, and a stream may be this far behind its pace without delaying the
/// block.
inline constexpr double lockstep_bytes = 1024;

/// A stream to be scheduled, with its real addresses and length.
struct FiniteStream {
    AccessPattern pattern; ///< not empty
    Direction direction = Direction::Read;
    std::uint64_t bytes = 0; ///< > 0
    std::uint64_t seed = 0;  ///< seed of the places of a scattered pattern
    /// Streams with the same number advance together, at most lockstep_bytes apart.
    std::uint64_t group = 0;
    std::uint64_t passed = 0; ///< bytes that have been transferred before; fewer than all
};

/// Schedules finite streams on all channels, command by command and clock by clock. It begins with
/// a DRAM at rest; queues and open rows stay as they are when streams start and end. A read is done
/// with its last data, a write when the controller has accepted its last burst. A copy can be used
/// to look ahead.
///
/// Channels depend on each other only when a stream issues a request, because one full queue stalls
/// all streams. In between, each channel is scheduled by itself, up to the next request or end.
class StreamSchedule {
public:
    using Id = std::uint16_t;
    static constexpr double at_once = std::numeric_limits<double>::infinity();
    /// Number that denotes a core instead of a stream.
    static constexpr Id core = std::numeric_limits<Id>::max();

    /// The arguments outlive this object.
    StreamSchedule(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// Starts a stream now. Its number is valid until it is released or
    /// cancelled.
    [[nodiscard]] Id add(const FiniteStream& stream);
    /// Releases the number of a stream that is done, or will be within a few clocks. Its remaining
    /// bursts are still transferred.
    void release(Id id) { sources_[id].is_active = false; }
    /// Ends a stream at once. Writes that have been accepted stay.
    void cancel(Id id);
    /// From now on the stream asks for at most `bytes_per_clock`. If it falls behind, it can catch
    /// up by at most the size of its block's buffer; any further delay postpones the rest of the
    /// stream.
    void set_pace(Id id, double bytes_per_clock);

    /// Runs until `clock`, or until this number of further bursts has been transferred.
    void run_until(Clock clock, std::uint64_t bursts);
    /// The same, but stops when all streams of a group are done. Returns whether it stopped for
    /// that reason.
    bool run_to_end_of_group(Clock clock, std::uint64_t bursts);
    /// Clock at which a core has the data of a read of some bursts (address / burst_bytes) that it
    /// requests now. The read goes before all others.
    [[nodiscard]] Clock read_by_core(std::uint64_t first, std::uint64_t last);
    /// Lets each stream advance by the bytes that it moves in `clocks` at its rate. The state of
    /// the memory and now() do not change.
    void pass_over(double clocks, const std::vector<double>& bytes_per_clock);

    /// The first clock that is not scheduled yet.
    [[nodiscard]] Clock now() const { return now_; }
    [[nodiscard]] bool done(Id id) const { return sources_[id].done_at != no_time; }
    /// For a read, the clock after its last data; for a write, the clock at which its last burst is
    /// taken.
    [[nodiscard]] Clock done_at(Id id) const { return sources_[id].done_at; }
    /// Bytes transferred for a read, or taken for a write.
    [[nodiscard]] double moved(Id id) const;
    [[nodiscard]] double left(Id id) const { return sources_[id].bytes - moved(id); }
    /// Clock at which the stream ends by its pace if nothing holds it up from now on.
    [[nodiscard]] double end_at_pace(Id id) const;
    /// Bytes that the stream's block has taken from its buffer at its pace. They are ahead of the
    /// requested bytes by at most the size of a buffer, unless all bytes have been requested.
    /// Without a pace: the moved bytes.
    [[nodiscard]] double paced(Id id) const;
    [[nodiscard]] std::uint64_t rows_opened() const { return rows_; }
    [[nodiscard]] std::uint64_t bursts() const { return served_; }
    /// No burst waits, and no stream has anything left to request.
    [[nodiscard]] bool idle() const;

private:
    struct Source {
        explicit Source(const BurstWalk& bursts) : walk(bursts) {}

        BurstWalk walk;
        bool write = false;
        bool asks = true;       ///< `step` is the next burst to request
        bool is_active = false; ///< not yet released
        /// Must keep in step with other streams of its group that still take turns.
        bool in_step = false;
        std::uint64_t group = 0;
        double bytes = 0.0;
        double asked = 0.0; ///< bytes requested so far
        double served = 0.0;
        double pace = at_once, pace_from_bytes = 0.0; ///< bytes per clock
        Clock pace_from = 0; ///< clock from which the pace counts; delays of the stream move this
                             ///< clock by the same time
        Clock asks_from = 0; ///< clock from which the pace permits a request of `step`
        double share = 0.0;  ///< share of its bytes that it has requested; used if in_step
        /// Share that the group's other streams must have requested before its next request.
        double share_of_all = 0.0;
        std::int64_t credit = 0;
        std::uint32_t in_flight = 0; ///< bursts in flight
        Clock data_end = 0;          ///< end of the data of the bursts transferred so far
        Clock done_at = no_time;
        BurstWalk::Step step;
        std::uint64_t row_part = no_time; ///< part of the burst's address above the low column bits
        std::uint32_t channel = 0, bank = 0, row = 0;
    };

    /// A channel, all of whose commands before `at` are scheduled.
    struct Line {
        ChannelSchedule schedule;
        Clock at = 0;
        Clock next = 0;       ///< clock of the next command
        bool is_stale = true; ///< `next` must be determined again
    };

    /// The limits that other streams impose on the only stream that makes requests.
    struct Company {
        double least_share = 1.0; ///< smallest share among the other streams of its group
        /// Share at which this stream lets another stream of its group continue.
        double share_waited_for = at_once;
        Clock asks_from = no_time; ///< earliest clock at which another stream may make a request
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
        Line& its = lines_[line];
        if (its.at >= until)
            return;
        if (its.is_stale || its.next < until)
            go_on_to(line, until);
        else
            its.at = until; // there is no command before
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
    Clock spacing_; ///< least number of clocks between bursts on a channel
    std::vector<Line> lines_;
    std::vector<Source> sources_; ///< sources by Id; the places of released ones are used again
    std::vector<std::uint32_t> waiting_at_; ///< reads in flight, by Id and line
    std::vector<Id> turns_;                 ///< streams that are not released or not done yet
    std::size_t turn_ = 0;
    Clock now_ = 0;
    Clock ask_at_ = 0; ///< earliest clock at which a stream could make a request
    std::optional<std::size_t> full_line_; ///< channel whose full queue holds up all streams
    bool full_write_ = false;              ///< direction of that queue
    std::uint64_t age_ = 1;
    std::uint64_t served_ = 0; ///< number of bursts
    std::uint64_t rows_ = 0;
    bool group_done_ = false;
    Clock core_data_ = 0;          ///< end of the data of a core's read
    std::uint64_t core_waits_ = 0; ///< number of bursts
    Clock no_end_before_ = 0;      ///< before this clock no group is done
};

} // namespace levee::dram
