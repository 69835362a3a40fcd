// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace levee::bottlenecks {

/// The causes of each block's time in a phase, and its bottleneck. Times are in picoseconds.
struct PhaseBottlenecks {
    struct Share {
        std::string cause;
        std::uint64_t time;
    };
    /// A block's time by cause. The times add up to the phase's time.
    struct BlockTime {
        std::string name;
        std::vector<Share> causes;
    };
    /// A resource that can limit a block: a memory, a link, a stream port, a block's own pace, or
    /// the core.
    struct Resource {
        std::string name;
        std::uint64_t binds; ///< time in which the resource limited a block
        bool is_memory = false;
        std::uint64_t bytes = 0;            ///< for a memory: bytes that blocks read and wrote
        std::uint64_t bytes_per_second = 0; ///< for a memory: peak rate
    };

    /// The time for which an array's own pace is limited by loading operands.
    struct Loading {
        std::string array;
        std::uint64_t time;
        std::uint64_t bytes_per_second;
    };

    std::string name; ///< "prefill", "decode" or "other"
    std::uint64_t time = 0;
    std::uint64_t core_awake = 0; ///< time in which the core does not sleep
    std::uint64_t macs = 0;
    std::uint64_t macs_per_second = 0; ///< peak rate of all blocks together
    std::vector<BlockTime> blocks;
    std::vector<Resource> resources;
    std::vector<Loading> loads;                ///< for each array, the load time of its busiest
                                               ///< queue
    std::uint64_t weight_bytes_per_second = 0; ///< Peak of the memory that holds the model; 0 if
                                               ///< there is none.

    /// Returns a text such as "array load: 32 of 64 GB/s" if an array loads operands for more than
    /// half of the time; otherwise an empty text.
    [[nodiscard]] std::string bound_by_load() const;
    /// Returns the entry of `resources` that was the bottleneck for the longest time; null if none
    /// was. Among equals, it returns the first.
    [[nodiscard]] const Resource* bound_by() const;
    /// Returns the roofline: the highest MAC/s that the peak rates of blocks and memories allow.
    [[nodiscard]] double attainable() const;
    [[nodiscard]] double achieved() const;
};

/// Adds bounds.* and roofline.* (docs/results.md) to `results`.
void report(std::span<const PhaseBottlenecks> phases, Results& results);
[[nodiscard]] std::string text(std::span<const PhaseBottlenecks> phases);
/// Writes bounds.csv and roofline.csv (docs/bottlenecks.md).
void write(std::span<const PhaseBottlenecks> phases, const std::filesystem::path& folder);

} // namespace levee::bottlenecks
