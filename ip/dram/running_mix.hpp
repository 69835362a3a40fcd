// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"
#include "ip/dram/stream_schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::dram {

/// The schedule of the streams now running, in step with simulated time. At each change of the mix
/// it goes on to the present under the old mix, and then looks ahead with the new one until the
/// first activity is done. Beyond a bounded number of bursts the rates are taken to stay as they
/// were in the last ones.
class RunningMix {
public:
    /// The arguments outlive this object.
    RunningMix(const Parameters& parameters, const Clocks& clocks, const AddressMap& map);

    /// FlowResource::schedule.
    void change(Picoseconds now, std::span<ScheduledStream> mix);

    /// Time that a stream takes in addition to its course here: from a read's last command to its
    /// last data; none for a write, which is done when it is taken.
    [[nodiscard]] Clock after_last(Direction direction) const;

    /// Rows opened by streams until `now`.
    [[nodiscard]] std::uint64_t rows_opened(Picoseconds now) const;

private:
    struct Running {
        const FlowUse* use;
        StreamSchedule::Id id;
        std::uint64_t group; ///< of the streams of its activity
        double bytes_per_ps; ///< its pace
        bool is_done;        ///< at the end of what was looked ahead
    };
    /// What the schedule ahead has done until a clock.
    struct Seen {
        Clock clock;
        std::uint64_t rows;
        std::vector<double> moved; ///< bytes of each running stream
    };

    [[nodiscard]] Clock local_clock(Picoseconds now) const;
    [[nodiscard]] bool same_streams(std::span<const ScheduledStream> mix) const;
    void go_on_to(Picoseconds now);
    void end_streams(std::span<const ScheduledStream> mix);
    void start_streams(std::span<const ScheduledStream> mix);
    void start(const FlowUse& use, std::uint64_t group);
    void set_pace(Running& running, const ScheduledStream& stream);
    void look_ahead();
    [[nodiscard]] Seen seen() const;
    void measure(const Seen& from);
    void answer(Picoseconds now, std::span<ScheduledStream> mix) const;
    [[nodiscard]] double end_of(const Running& running) const;
    [[nodiscard]] bool is_bound(const Running& running, double end) const;

    const Parameters& parameters_;
    Clocks c_;
    StreamSchedule present_; ///< at the last change
    StreamSchedule ahead_;   ///< when the first activity is done, or as far as it was scheduled
    Picoseconds changed_at_ = 0;
    bool looked_ahead_ = false;
    bool extrapolates_ = false; ///< no activity is done at the end of `ahead_`
    Clock passed_over_ = 0;     ///< clocks of simulated time that were not scheduled
    std::vector<Running> running_;
    std::vector<double> rates_; ///< bytes per clock, by the schedule's number
    double rows_per_clock_ = 0.0;
    double rows_passed_over_ = 0.0;
    std::uint64_t started_ = 0; ///< streams
};

} // namespace levee::dram
