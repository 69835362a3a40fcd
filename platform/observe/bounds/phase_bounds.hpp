// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/report/results.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace levee::bounds {

/// How a phase of a run divides, and what bounds it. Times in picoseconds.
struct PhaseBounds {
    struct Share {
        std::string cause;
        std::uint64_t time;
    };
    /// A block: its causes' times add up to the phase's.
    struct BlockTime {
        std::string name;
        std::vector<Share> causes; ///< those that occurred
    };
    /// A memory, a link or a stream port, or a block as far as its own pace goes, or the core.
    struct Resource {
        std::string name;
        std::uint64_t binds; ///< time in which it was what something waited for
        bool is_memory = false;
        std::uint64_t bytes = 0;            ///< of a memory: blocks' reads and writes
        std::uint64_t bytes_per_second = 0; ///< of a memory: peak
    };

    std::string name; ///< "prefill", "decode", "other"
    std::uint64_t time = 0;
    std::uint64_t core_awake = 0; ///< the core executes instructions
    std::uint64_t macs = 0;
    std::uint64_t macs_per_second = 0; ///< peak of all blocks together
    std::vector<BlockTime> blocks;
    std::vector<Resource> resources;

    /// Which of `resources` binds for longest, the first of equals; null if none does.
    [[nodiscard]] const Resource* bound_by() const;
    /// What the memories' peaks leave of the blocks': MAC/s.
    [[nodiscard]] double attainable() const;
    [[nodiscard]] double achieved() const;
};

/// Adds bounds.* and roofline.* (docs/results.md) to `results`.
void report(std::span<const PhaseBounds> phases, Results& results);
/// Tables to read.
[[nodiscard]] std::string text(std::span<const PhaseBounds> phases);
/// Writes bounds.csv and roofline.csv (docs/bounds.md).
void write(std::span<const PhaseBounds> phases, const std::filesystem::path& folder);

} // namespace levee::bounds
