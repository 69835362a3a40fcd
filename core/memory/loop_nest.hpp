// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace levee {

/// One loop over a tensor.
struct Loop {
    std::uint64_t count;
    std::int64_t stride; ///< In bytes.
};

/// Sequence of access patterns. In the usual case of a single pattern it allocates no memory.
class PatternList {
public:
    void add(const AccessPattern& pattern)
    {
        if (!has_first_) {
            first_ = pattern;
            has_first_ = true;
            return;
        }
        if (all_.empty())
            all_.push_back(first_);
        all_.push_back(pattern);
    }
    [[nodiscard]] std::size_t size() const { return all_.empty() ? has_first_ : all_.size(); }
    [[nodiscard]] const AccessPattern* begin() const
    {
        return all_.empty() ? &first_ : all_.data();
    }
    [[nodiscard]] const AccessPattern* end() const { return begin() + size(); }

private:
    AccessPattern first_;
    bool has_first_ = false;
    std::vector<AccessPattern> all_; ///< Used if there are several patterns.
};

/// Returns as few access patterns as possible for the runs of `run_bytes` bytes that nested loops
/// (outermost first) visit from `address` on. Loops of one iteration are removed, and contiguous
/// loops lengthen the run. The three levels of a pattern therefore nearly always suffice; further
/// outer loops become separate patterns. At most 8 loops may have more than one iteration.
[[nodiscard]] PatternList patterns_of(std::uint64_t address, std::uint64_t run_bytes,
                                      std::initializer_list<Loop> loops);

} // namespace levee
