// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/address_map.hpp"
#include "ip/dram/burst_walk.hpp"
#include "ip/dram/channel_schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::dram {

/// A stream of a mix in the steady state.
struct MixStream {
    AccessPattern pattern;
    Direction direction = Direction::Read;
    /// The stream moves 4^-quarterings of the bytes of the fastest stream.
    unsigned quarterings = 0;
    static constexpr unsigned most_quarterings = 4;

    /// True unless the pattern is a single run.
    [[nodiscard]] bool irregular() const { return pattern.runs() > 1; }
};

/// Cost of a mix of endless streams.
struct MixCost {
    std::vector<double> ps_per_byte;   ///< per stream; sum over streams of rate x cost is 1
    std::vector<double> rows_per_byte; ///< per stream: rows opened for its bursts
    double core_latency_ps = 0;        ///< mean latency of a core's read; 0 if there was none
    double core_service_ps = 0; ///< mean service time that such a read takes from the streams
};

/// Length of a schedule, in bursts per channel.
struct Span {
    std::uint64_t warm_up; ///< until the queues are full and the pages open
    std::uint64_t seen;
};

/// How long a mix is scheduled, and with how many relative placements of its streams. A property of
/// the method, not of the memory.
struct MixEffort {
    Span span;
    unsigned placements;
};

/// Schedules a mix on all channels for long enough to observe its steady state. With `core_every` >
/// 0, cores also read `core_bytes` from scattered addresses, each `core_every` clocks after its
/// last answer. There is one core per channel, but at most 4, so the cores hardly delay each other.
class MixSchedule {
public:
    MixSchedule(const Parameters& parameters, const Clocks& clocks, const AddressMap& map,
                std::span<const MixStream> mix, std::uint64_t core_every, unsigned core_bytes);

    [[nodiscard]] MixCost run(const Span& span);
    /// Bursts served so far on all channels: a measure of the host time.
    [[nodiscard]] std::uint64_t bursts_scheduled() const { return served_; }

private:
    /// Destination of a burst.
    struct Place {
        std::uint32_t channel;
        std::uint32_t bank; ///< number within the channel
        std::uint32_t row;
    };
    struct Source {
        BurstWalk walk;
        bool write;
        std::int64_t allowance;      ///< per turn, in 4^-most_quarterings bytes
        std::uint64_t bursts_needed; ///< bursts needed for a mean
        std::int64_t credit = 0;     ///< in the same unit as `allowance`
        BurstWalk::Step step;
        std::uint64_t row_part = no_time; ///< part of the burst's address above the low column bits
        Place place{};
    };
    struct Core {
        Clock at = no_time; ///< clock of its next read
        Clock asked = 0;
        Clock end = 0;
        unsigned bursts = 0; ///< bursts left of the read in progress
    };
    /// Data that a stream has moved.
    struct Moved {
        double clocks = 0; ///< data bus time, including the idle time before it
        std::uint64_t bytes = 0;
    };
    struct Tally {
        std::vector<Moved> moved; ///< by stream
        /// Data in complete batches, by writing stream; used only if the mix also reads.
        std::vector<Moved> batches;
        std::vector<std::uint64_t> rows; ///< rows opened for each stream's bursts
        double turning = 0;              ///< idle time of the bus in turns from write to read
        double batch_turning = 0;        ///< this idle time, only after complete batches
        double core_clocks = 0;
        double core_latency = 0;
        std::uint64_t core_reads = 0;
    };
    struct Line {
        ChannelSchedule schedule;
        std::uint64_t data_end = 0;
        bool wrote = false;
        bool is_touched = false; ///< this channel is in touched_
        /// The present batch of writes by stream; empty unless it began in the present span.
        std::vector<Moved> batch;
        std::uint64_t refreshes_before = 0; ///< refreshes of whole ranks before the batch
    };

    [[nodiscard]] Place place_of(std::uint64_t burst) const;
    void advance(Source& source);
    void pump(std::uint64_t now);
    void core_read(Core& core, std::size_t number);
    void served(Line& line, const ChannelSchedule::Served& burst);
    void end_batch(Line& line, double turning);
    void complete_batches();
    void fill_write_queues();
    void served_core(Core& core, const ChannelSchedule::Served& burst);
    void touch(std::size_t line);
    void start_tally();
    void look_again();
    void step();
    [[nodiscard]] bool is_enough(const Moved& moved, std::size_t source) const;
    [[nodiscard]] bool seen_all() const;
    [[nodiscard]] bool has_writes(const std::vector<Moved>& moved) const;
    void make_up_for_refreshes();
    [[nodiscard]] std::uint64_t rank_refreshes() const;
    [[nodiscard]] bool balances_refreshes() const;
    [[nodiscard]] MixCost observe(const Span& span);
    [[nodiscard]] double see_refreshes(std::uint64_t from);
    [[nodiscard]] MixCost cost(const Tally& span, double elapsed_clocks) const;

    const Parameters& parameters_;
    Clocks c_;
    const AddressMap& map_;
    std::vector<Source> sources_;
    std::vector<Line> lines_;
    std::vector<Clock> next_times_;    ///< time of each channel's next command
    std::vector<std::size_t> touched_; ///< channels whose next time may have changed
    std::size_t turn_ = 0;
    std::uint64_t age_ = 1;
    std::uint64_t now_ = 0;
    std::uint64_t served_ = 0; ///< bursts so far
    Tally tally_;
    std::uint64_t core_every_;
    unsigned core_bytes_;
    std::vector<Core> cores_;
    std::uint64_t core_reads_ = 0;
    bool turns_ = false;   ///< the mix reads and writes
    unsigned retries_ = 0; ///< batches with a refresh that may still be repeated
    bool balanced_ = true; ///< the last span had as many refreshes as became due; for one rank
};

} // namespace levee::dram
