// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/access_pattern.hpp"
#include "ip/dram/address_map.hpp"
#include "ip/dram/burst_walk.hpp"
#include "test/dram_cycle/channel_controller.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace levee::dram_cycle {

/// One stream of requests.
struct Stream {
    AccessPattern pattern;
    Direction direction = Direction::Read;
    std::uint64_t bytes = 0;
    std::uint64_t seed = 1;     ///< of a scattered pattern
    Picoseconds least_time = 0; ///< it asks no faster than all its bytes in this time
};

/// A core that reads `bytes` (one page at most) `interval` after its last answer.
struct CoreReads {
    Picoseconds interval = 0;
    unsigned bytes = 64;
    AccessPattern::Extent within{0, 0};
};

struct Outcome {
    std::vector<Picoseconds> completed; ///< per stream: last data (read), last burst taken (write)
    Picoseconds total = 0;              ///< the latest of them
    std::uint64_t core_reads = 0;
    double core_latency_ps = 0; ///< mean
    std::vector<std::string> faults;
    std::uint64_t commands_checked = 0;
    std::uint64_t activates = 0, reads = 0, writes = 0, refreshes = 0;
};

/// The whole DRAM, clock by clock: requestors, the arbiter that gives them equal bytes in turn, and
/// a controller per channel. Every command passes a JedecChecker.
class CycleDram {
public:
    explicit CycleDram(const dram::Parameters& parameters);

    /// Runs all streams from time 0 until each is complete. Each call starts afresh.
    [[nodiscard]] Outcome run(const std::vector<Stream>& streams,
                              std::optional<CoreReads> core = std::nullopt);

private:
    struct Requestor {
        dram::BurstWalk walk;
        bool write;
        std::int64_t credit = 0;
        std::uint64_t in_flight = 0;
        bool all_asked = false;
        std::optional<dram::BurstWalk::Step> next;
        double bytes_per_clock = 0.0; ///< of its own pace; 0: none
        double asked_bytes = 0.0;
    };
    struct Core {
        CoreReads reads;
        std::uint64_t next_at = 0; ///< clock
        std::uint64_t asked_at = 0;
        unsigned missing = 0; ///< bursts of the read in progress
        std::uint64_t last_data = 0;
        std::uint64_t done = 0;
        std::uint64_t latency = 0; ///< clocks, sum
    };

    void arbitrate(std::uint64_t clock);
    void core_asks(std::uint64_t clock);
    [[nodiscard]] static bool asks(const Requestor& requestor, std::uint64_t clock);
    void finished(const ChannelController::Done& done, std::uint64_t clock);
    [[nodiscard]] Outcome outcome(std::uint64_t clock);

    dram::Parameters parameters_;
    dram::AddressMap map_;
    std::vector<ChannelController> channels_;
    std::vector<Requestor> requestors_;
    std::size_t turn_ = 0;
    std::optional<Core> core_;
    std::vector<std::uint64_t> completed_; ///< clock
    std::size_t complete_ = 0;
};

/// What one endless stream achieves, measured over `bytes` of it without start and end.
[[nodiscard]] double achieved_bytes_per_s(const dram::Parameters& parameters,
                                          const AccessPattern& pattern, Direction direction);

} // namespace levee::dram_cycle
