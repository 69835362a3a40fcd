// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "ip/dram/stream_schedule.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::dram {

/// The schedule of the streams now running, in step with simulated time. At each change of the mix
/// it goes on to the present under the old mix, and then looks ahead with the new one until the
/// first activity is done, in pieces of a bounded number of bursts: the answers of a piece without
/// an end hold only until its end. Once a mix has been scheduled for long, the activities are taken
/// to go on as they have: an estimate, which holds for a few times as long as the mix has been
/// watched, and is then made again.
class RunningMix {
public:
    /// The arguments outlive this object.
    /// Bursts of a mix that are scheduled before ends are estimated.
    static constexpr std::uint64_t bursts_watched = std::uint64_t{1} << 18;

    RunningMix(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// FlowResource::schedule. Throws std::logic_error if an activity moves nothing although it
    /// may: no end could be estimated by that.
    void change(Picoseconds now, std::span<ScheduledStream> mix);
    /// FlowResource::holds_until.
    [[nodiscard]] Picoseconds holds_until() const;

    /// Clocks that the schedule leaves out: for a read, from its last command to its last data; for
    /// a write, 0, as it is done when it is taken.
    [[nodiscard]] Clock after_last(Direction direction) const;

    /// Clocks from a core's request of `bytes` at `now` to its last data, among the streams;
    /// nothing where they are not scheduled.
    [[nodiscard]] std::optional<Clock> core_read(std::uint64_t address, unsigned bytes,
                                                 Picoseconds now);

    /// Rows opened by streams until `now`.
    [[nodiscard]] std::uint64_t rows_opened(Picoseconds now) const;

private:
    struct Running {
        const FlowUse* use;
        StreamSchedule::Id id;
        std::uint64_t group; ///< of the streams of its activity
        double bytes_per_ps; ///< its pace
        bool is_done;        ///< at the end of what was looked ahead
        double before = 0.0; ///< part of a clock by which it started before the schedule's clock
        double end = 0.0;    ///< clock at which all is done but for its activity's latency
    };
    /// Progress of the schedule ahead at a clock.
    struct Seen {
        Clock clock;
        std::uint64_t rows;
        std::vector<double> paced; ///< bytes of the running streams, by the schedule's number
    };
    /// The streams of one activity.
    using Group = std::span<Running>;

    [[nodiscard]] Clock local_clock(Picoseconds now) const;
    [[nodiscard]] bool same_streams(std::span<const ScheduledStream> mix) const;
    void go_on_to(Picoseconds now, bool starts);
    void take_back(Clock clock);
    void end(const Running& running);
    void end_streams(std::span<const ScheduledStream> mix);
    void start_streams(std::span<const ScheduledStream> mix);
    void start(const ScheduledStream& stream, std::uint64_t group);
    void set_pace(Running& running, const ScheduledStream& stream);
    void set_pace(const Running& running);
    void look_ahead();
    [[nodiscard]] bool run_to_an_end(Clock from);
    void look_past(double first);
    [[nodiscard]] double next_end(Clock from);
    [[nodiscard]] Group group_at(std::size_t first);
    [[nodiscard]] double latency_of(Group group) const;
    [[nodiscard]] double end_at_pace(const StreamSchedule& schedule, const Running& running) const;
    [[nodiscard]] bool watched_enough() const;
    void watch();
    [[nodiscard]] Seen seen() const;
    void measure(const Seen& from);
    void measure(Group group, const Seen& from);
    [[nodiscard]] double estimated_end(Group group, const Seen& from) const;
    void refuse_standstill(Group group, const Seen& from) const;
    void answer(Picoseconds now, std::span<ScheduledStream> mix) const;
    [[nodiscard]] bool is_bound(const Running& running) const;

    const Parameters& parameters_;
    Clocks c_;
    StreamSchedule present_; ///< at the last change
    StreamSchedule probe_;   ///< for a core's reads: as if they took no time from the streams
    StreamSchedule ahead_;   ///< when the first activity is done, or as far as it was scheduled
    StreamSchedule before_;  ///< `present_` before it contained the clock `ended_in_`
    Picoseconds changed_at_ = 0;
    Clock watched_from_ = 0; ///< of simulated time: no stream has started or ended since
    std::uint64_t watched_from_burst_ = 0;
    bool looked_ahead_ = false;
    bool extrapolates_ = false; ///< no activity is done at the end of `ahead_`
    Clock holds_until_ = no_time;
    Clock passed_over_ = 0;         ///< clocks of simulated time that were not scheduled
    std::optional<Clock> ended_in_; ///< the present clock, if `present_` contains it
    std::vector<Running> ended_;    ///< in that clock
    std::vector<Running> running_;
    std::vector<double> rates_; ///< beyond `ahead_`: bytes per clock, by the schedule's number
    double rows_per_clock_ = 0.0;
    double rows_passed_over_ = 0.0;
    std::uint64_t started_ = 0; ///< streams
};

} // namespace levee::dram
