// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/burst_walk.hpp"

#include <algorithm>
#include <bit>

namespace levee::dram {

BurstWalk::BurstWalk(const AccessPattern& pattern, std::uint64_t bytes, unsigned burst_bytes,
                     std::uint64_t seed)
    : pattern_(pattern.scattered ? pattern : pattern.merged()), bytes_left_(bytes),
      burst_bytes_(burst_bytes),
      burst_shift_(static_cast<unsigned>(std::countr_zero(burst_bytes_))), seed_(mix_bits(seed))
{
    const auto extent = pattern_.extent();
    if (pattern_.scattered && extent) {
        first_ = extent->first;
        places_ = std::max<std::uint64_t>(1, (extent->last - first_ + 1) / pattern_.run_bytes);
    }
    start_run();
}

std::uint64_t BurstWalk::scattered_address()
{
    return first_ + mix_bits(seed_ + ++drawn_) % places_ * pattern_.run_bytes;
}

void BurstWalk::start_run()
{
    run_left_ = pattern_.run_bytes;
    if (pattern_.scattered) {
        at_ = scattered_address();
        return;
    }
    at_ = pattern_.address;
    for (std::size_t d = 0; d < 3; ++d)
        at_ += index_[d] * static_cast<std::uint64_t>(pattern_.stride[d]);
    for (std::size_t d = 3; d-- > 0;) {
        if (++index_[d] < pattern_.count[d])
            break;
        index_[d] = 0;
    }
}

void BurstWalk::skip(std::uint64_t bytes)
{
    bytes = std::min(bytes, bytes_left_);
    bytes_left_ -= bytes;
    if (bytes >= run_left_) {
        bytes -= run_left_;
        skip_runs(bytes / pattern_.run_bytes);
        bytes %= pattern_.run_bytes;
        start_run();
    }
    at_ += bytes;
    run_left_ -= bytes;
}

/// Skips runs that have not started yet.
void BurstWalk::skip_runs(std::uint64_t runs)
{
    drawn_ += runs;
    for (std::size_t d = 3; d-- > 0;) {
        runs += index_[d];
        index_[d] = runs % pattern_.count[d];
        runs /= pattern_.count[d];
    }
}

/// For runs that need not fill whole bursts.
BurstWalk::Step BurstWalk::next_of_runs()
{
    Step step{at_ >> burst_shift_, 0};
    while (bytes_left_ > 0 && at_ >> burst_shift_ == step.burst &&
           step.useful_bytes < burst_bytes_) {
        const std::uint64_t take =
            std::min({run_left_, bytes_left_, burst_bytes_ - (at_ & (burst_bytes_ - 1)),
                      burst_bytes_ - step.useful_bytes});
        step.useful_bytes += static_cast<std::uint32_t>(take);
        at_ += take;
        run_left_ -= take;
        bytes_left_ -= take;
        if (run_left_ == 0)
            start_run();
    }
    return step;
}

} // namespace levee::dram
