// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "test/dram_cycle/address_walk.hpp"
#include "test/dram_cycle/channel_controller.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace levee::dram_cycle {

/// A stream of requests.
struct Stream {
    AccessPattern pattern;
    Direction direction = Direction::Read;
    std::uint64_t bytes = 0;
    std::uint64_t seed = 1; ///< random seed for the places of a scattered pattern
    /// Shortest time in which the stream requests all its bytes. Clocks do not count while the
    /// stream is behind this pace by `lockstep_bytes`, because its block waits then and does not
    /// compute faster afterwards.
    Picoseconds least_time = 0;
    Picoseconds start = 0;   ///< The stream requests nothing before this time.
    bool catches_up = false; ///< all clocks count, because the block's buffer is never empty
    /// Streams with the same activity, if not 0, advance together. None gets ahead of another by
    /// more than a block's buffer, `lockstep_bytes`.
    unsigned activity = 0;
    Draw draw = Draw::Own; ///< how the places of a scattered pattern are drawn
};
inline constexpr std::uint64_t lockstep_bytes = 1024;

/// A core that reads `bytes` (at most one page) at a time, and pauses `interval` after each answer.
struct CoreReads {
    Picoseconds interval = 0;
    unsigned bytes = 64;
    AccessPattern::Extent within{0, 0};
    bool ascending = false;     ///< Consecutive addresses instead of random ones.
    std::uint64_t at_least = 0; ///< Minimum number of reads before the run may end.
};

struct Outcome {
    std::vector<Picoseconds> completed; ///< For each stream, the time of the last data (read), or
                                        ///< when the last burst was accepted (write).
    /// For each stream, the end of its least time, or its start if it has none.
    std::vector<Picoseconds> paced;
    Picoseconds total = 0; ///< The latest of the completion times.
    std::uint64_t core_reads = 0;
    double core_latency_ps = 0; ///< mean latency of the core's reads
    std::vector<std::string> faults;
    std::uint64_t commands_checked = 0;
    std::uint64_t activates = 0, reads = 0, writes = 0, refreshes = 0;
};

/// The whole DRAM, simulated clock by clock: requestors, an arbiter that gives them equal bytes in
/// turn, and a controller per channel. A JedecChecker checks every command.
class CycleDram {
public:
    explicit CycleDram(const dram::Parameters& parameters, Manner manner = Manner::Own);

    /// Runs all streams from time 0 until each is complete. Each call starts with a new DRAM.
    [[nodiscard]] Outcome run(const std::vector<Stream>& streams,
                              std::optional<CoreReads> core = std::nullopt);

private:
    struct Requestor {
        AddressWalk walk;
        bool write;
        std::uint64_t start; ///< clock of the start
        double bytes;        ///< total bytes of the stream
        unsigned activity;   ///< 0: the stream is alone
        std::optional<AddressWalk::Ask> next{};
        double bytes_per_clock = 0.0; ///< rate that the stream's own pace allows; 0: unlimited
        double asked_bytes = 0.0;
        std::uint64_t stalled = 0; ///< clocks in which the block was stalled
        bool catches_up = false;
        std::int64_t credit = 0;
        std::uint64_t in_flight = 0;
    };
    struct Core {
        CoreReads reads;
        std::uint64_t next_at = 0; ///< clock of the core's next read
        std::uint64_t asked_at = 0;
        unsigned missing = 0; ///< Bursts of the current read that are still missing.
        std::uint64_t last_data = 0;
        std::uint64_t done = 0;
        std::mt19937_64 draw{77};
        std::uint64_t latency = 0; ///< sum of the latencies in clocks
    };

    void arbitrate(std::uint64_t clock);
    void core_asks(std::uint64_t clock);
    void ask_next(Requestor& requestor, std::uint64_t clock);
    [[nodiscard]] bool asks(const Requestor& requestor, std::uint64_t clock) const;
    [[nodiscard]] double paced(const Requestor& requestor, std::uint64_t clock) const;
    void count_stalls(std::uint64_t clock);
    [[nodiscard]] bool ahead(const Requestor& requestor) const;
    [[nodiscard]] bool running() const;
    void finished(const ChannelController::Done& done);
    [[nodiscard]] Outcome outcome(std::uint64_t clock);

    dram::Parameters parameters_;
    Manner manner_;
    std::vector<ChannelController> channels_;
    std::vector<Requestor> requestors_;
    std::size_t turn_ = 0;
    std::optional<Core> core_;
    std::vector<std::uint64_t> completed_; ///< completion clock of each stream
    std::size_t complete_ = 0;
};

/// Returns the bandwidth of an endless stream, measured over `bytes` of it without start and end.
[[nodiscard]] double achieved_bytes_per_s(const dram::Parameters& parameters,
                                          const AccessPattern& pattern, Direction direction);

} // namespace levee::dram_cycle
