// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "ip/dram/stream_schedule.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::dram {

/// The schedule of the running streams, in step with simulated time. When a stream starts or ends,
/// the schedule first continues to the present with the old streams. It then looks ahead with the
/// new ones until the first activity ends. Each look-ahead is bounded; if no activity ends in it,
/// its answers hold only until its last clock.
///
/// A mix that has been scheduled for long is estimated: its activities are assumed to continue at
/// the rates measured since refreshes became regular. An estimate holds for a few times as long as
/// the mix has been watched, and is then made again.
class RunningMix {
public:
    /// Bursts of a mix that are scheduled before ends are estimated.
    static constexpr std::uint64_t bursts_watched = std::uint64_t{1} << 18;

    /// The arguments outlive this object.
    RunningMix(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// FlowResource::schedule. Throws std::logic_error if an activity moves nothing for too long,
    /// since its end could then not be estimated.
    void change(Picoseconds now, std::span<ScheduledStream> mix);
    /// FlowResource::holds_until.
    [[nodiscard]] Picoseconds holds_until() const;

    /// Clocks from a stream's last command to its completion: for a read, until its last data; for
    /// a write, 0, because it is complete when the controller accepts it.
    [[nodiscard]] Clock after_last(Direction direction) const;

    /// Clocks from a core's request of `bytes` at `now` to its last data while streams run;
    /// nothing if no streams are scheduled or `now` is beyond the schedule.
    [[nodiscard]] std::optional<Clock> core_read(std::uint64_t address, unsigned bytes,
                                                 Picoseconds now);

    /// Rows opened by streams until `now`.
    [[nodiscard]] std::uint64_t rows_opened(Picoseconds now) const;

private:
    struct Running {
        const FlowUse* use;
        StreamSchedule::Id id;
        std::uint64_t group; ///< number of its activity
        double bytes_per_ps; ///< pace of the stream
        bool is_done;        ///< whether the stream is done at the look-ahead's end
        double before = 0.0; ///< clocks from the stream's start to the next clock edge
        double end = 0.0;    ///< clock of the stream's end, minus its activity's latency
    };
    /// Progress of a schedule at a clock.
    struct Seen {
        Clock clock;
        std::uint64_t rows;
        std::vector<double> paced; ///< bytes of each stream, by its number in the schedule
    };
    /// Bytes that an activity's streams have moved, and those left.
    struct Progress {
        double moved = 0.0, left = 0.0;
    };
    /// Limits of a look-ahead, which stops at the first one that it reaches.
    struct Limit {
        Clock clock;
        std::uint64_t bursts;
    };
    /// The streams of one activity.
    using Group = std::span<Running>;

    [[nodiscard]] Clock local_clock(Picoseconds now) const;
    [[nodiscard]] bool same_streams(std::span<const ScheduledStream> mix) const;
    void go_on_to(Picoseconds now, bool starts);
    void pass_over(Clock clocks);
    void take_back(Clock clock);
    void end(const Running& running);
    void end_streams(std::span<const ScheduledStream> mix);
    void start_streams(std::span<const ScheduledStream> mix);
    void start(const ScheduledStream& stream, std::uint64_t group);
    void set_pace(Running& running, const ScheduledStream& stream);
    void set_pace(const Running& running);
    void look_ahead();
    [[nodiscard]] Limit half_a_piece() const;
    [[nodiscard]] Limit whole_intervals() const;
    [[nodiscard]] bool run_to_an_end(Clock from, const Limit& limit);
    void look_past(double first);
    [[nodiscard]] double next_end(Clock from);
    [[nodiscard]] Group group_at(std::size_t first);
    [[nodiscard]] double latency_of(Group group) const;
    [[nodiscard]] double end_at_pace(const StreamSchedule& schedule, const Running& running) const;
    [[nodiscard]] bool watched_enough() const;
    [[nodiscard]] bool owes_all() const;
    [[nodiscard]] Clock watched() const;
    void watch();
    [[nodiscard]] Seen seen(const StreamSchedule& schedule) const;
    void measure(const Seen& from);
    void measure(Group group, const Seen& from);
    [[nodiscard]] double estimated_end(Group group, const Seen& from) const;
    [[nodiscard]] Progress progress(Group group, const Seen& from) const;
    [[nodiscard]] bool stands_still(const Seen& from);
    [[nodiscard]] Clock longest_wait() const;
    void refuse_standstill(Group group, const Seen& from) const;
    void answer(Picoseconds now, std::span<ScheduledStream> mix) const;
    [[nodiscard]] bool is_bound(const Running& running) const;

    const Parameters& parameters_;
    Clocks c_;
    StreamSchedule present_; ///< state at the last call of go_on_to()
    StreamSchedule probe_;   ///< copy in which a core's reads are scheduled; discarded afterwards
    StreamSchedule ahead_;   ///< state at the end of the look-ahead
    StreamSchedule before_;  ///< `present_` before the clock `ended_in_` was scheduled
    Picoseconds changed_at_ = 0;
    Clock watched_from_ = 0; ///< clock of simulated time at which the last stream started or ended
    std::uint64_t watched_from_burst_ = 0;
    /// Progress when the present mix became steady. Estimates use only the schedule since then.
    std::optional<Seen> settled_;
    bool looked_ahead_ = false;
    bool extrapolates_ = false; ///< no activity is done at the end of `ahead_`
    Clock holds_until_ = no_time;
    Clock passed_over_ = 0;         ///< clocks of simulated time that were not scheduled
    std::optional<Clock> ended_in_; ///< the present clock, if `present_` has its commands
    std::vector<Running> ended_;    ///< streams that ended in that clock
    std::vector<Running> running_;
    std::vector<double> rates_; ///< estimated bytes per clock, by number in the schedule
    double rows_per_clock_ = 0.0;
    double rows_passed_over_ = 0.0;
    std::uint64_t started_ = 0; ///< number of streams so far
};

} // namespace levee::dram
