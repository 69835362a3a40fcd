// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/dram/mix_bits.hpp"

#include <cstdint>

namespace levee::dram {

/// The bursts that a memory transfers for an access pattern, in order. A run that begins in the
/// burst transferred last needs no new burst. Runs of a scattered pattern are drawn by a seeded
/// hash from all run-sized places of the pattern's extent; different seeds draw independently.
class BurstWalk {
public:
    struct Step {
        std::uint64_t burst = 0;        ///< address / burst_bytes
        std::uint32_t useful_bytes = 0; ///< bytes of the burst that belong to the pattern
    };

    /// Walks the pattern until `bytes` (> 0) have passed, repeating it as often as needed.
    BurstWalk(const AccessPattern& pattern, std::uint64_t bytes, unsigned burst_bytes,
              std::uint64_t seed);

    [[nodiscard]] bool done() const { return bytes_left_ == 0; }

    /// The next burst; must not be called when done.
    Step next()
    {
        if ((at_ & (burst_bytes_ - 1)) != 0 || run_left_ <= burst_bytes_ ||
            bytes_left_ < burst_bytes_)
            return next_of_runs();
        const Step step{at_ >> burst_shift_, static_cast<std::uint32_t>(burst_bytes_)};
        at_ += burst_bytes_;
        run_left_ -= burst_bytes_;
        bytes_left_ -= burst_bytes_;
        return step;
    }

    /// Skips `bytes`, at most those left.
    void skip(std::uint64_t bytes);

private:
    [[nodiscard]] Step next_of_runs();
    void start_run();
    void skip_runs(std::uint64_t runs);
    [[nodiscard]] std::uint64_t scattered_address();

    AccessPattern pattern_;
    std::uint64_t bytes_left_;
    std::uint64_t burst_bytes_; ///< a power of two
    unsigned burst_shift_;
    std::uint64_t seed_;
    std::uint64_t places_ = 1; ///< number of run-sized places in the extent of a scattered pattern
    std::uint64_t first_ = 0;
    std::uint64_t drawn_ = 0;
    std::array<std::uint64_t, 3> index_{0, 0, 0};
    std::uint64_t at_ = 0;       ///< address of the next byte
    std::uint64_t run_left_ = 0; ///< bytes left in the present run
};

} // namespace levee::dram
