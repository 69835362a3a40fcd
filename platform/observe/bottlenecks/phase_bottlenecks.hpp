// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace levee::bottlenecks {

/// Division of a phase's time, and its bottleneck. Times are in picoseconds.
struct PhaseBottlenecks {
    struct Share {
        std::string cause;
        std::uint64_t time;
    };
    /// A block; the times of its causes add up to the phase's.
    struct BlockTime {
        std::string name;
        std::vector<Share> causes; ///< Causes that occurred.
    };
    /// A memory, a link, a stream port, a block as limited by its own pace, or the core.
    struct Resource {
        std::string name;
        std::uint64_t binds; ///< time in which it was the bottleneck of a block
        bool is_memory = false;
        std::uint64_t bytes = 0;            ///< memory: bytes read and written by blocks
        std::uint64_t bytes_per_second = 0; ///< memory: peak
    };

    /// Time in which an array's own pace is limited by loading.
    struct Loading {
        std::string array;
        std::uint64_t time;
        std::uint64_t bytes_per_second;
    };

    std::string name; ///< "prefill", "decode", "other"
    std::uint64_t time = 0;
    std::uint64_t core_awake = 0; ///< time in which the core executes instructions
    std::uint64_t macs = 0;
    std::uint64_t macs_per_second = 0; ///< peak, summed over all blocks
    std::vector<BlockTime> blocks;
    std::vector<Resource> resources;
    std::vector<Loading> loads;                ///< load of each array, from its busiest queue
    std::uint64_t weight_bytes_per_second = 0; ///< Peak rate of the memory with the model; 0: none.

    /// "array load: 32 of 64 GB/s" for an array that loads more than half of the time; otherwise
    /// empty.
    [[nodiscard]] std::string bound_by_load() const;
    /// The entry of `resources` that is the bottleneck longest, the first of equals; null if none
    /// is.
    [[nodiscard]] const Resource* bound_by() const;
    /// MAC/s attainable under the memories' peaks: the roofline.
    [[nodiscard]] double attainable() const;
    [[nodiscard]] double achieved() const;
};

/// Adds bounds.* and roofline.* (docs/results.md) to `results`.
void report(std::span<const PhaseBottlenecks> phases, Results& results);
/// The bounds as tables for the terminal.
[[nodiscard]] std::string text(std::span<const PhaseBottlenecks> phases);
/// Writes bounds.csv and roofline.csv (docs/bottlenecks.md).
void write(std::span<const PhaseBottlenecks> phases, const std::filesystem::path& folder);

} // namespace levee::bottlenecks
