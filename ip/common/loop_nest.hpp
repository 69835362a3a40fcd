// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace levee {

/// One loop of a tensor's nest.
struct Loop {
    std::uint64_t count;
    std::int64_t stride; ///< bytes
};

/// Access patterns in order; a single one, as nearly always, allocates nothing.
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
    std::vector<AccessPattern> all_; ///< if there are several
};

/// The runs of `run_bytes` that a loop nest (outermost first) visits from `address`, as few access
/// patterns: loops of one iteration vanish and gapless ones lengthen the run, so that three levels
/// are nearly always enough; further outer loops become patterns of their own. At most 8 loops of
/// more than one iteration.
[[nodiscard]] PatternList patterns_of(std::uint64_t address, std::uint64_t run_bytes,
                                      std::initializer_list<Loop> loops);

} // namespace levee
