// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/requests.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace levee::flash {

/// A die that has failed.
struct FailedDie {
    std::uint32_t channel = 0, die = 0; ///< `die` of the channel
    Time at = 0;                        ///< operations that begin from then on find it failed
    /// Die of the channel to whose spare blocks its pages have been moved, and which does its
    /// requests, too; none: they are lost.
    std::optional<std::uint32_t> moved_to;
};

/// Which die has pages that were written to another.
class Failures {
public:
    explicit Failures(std::vector<FailedDie> dies) : dies_(std::move(dies)) {}

    /// The die of the channel that has the pages of `die` at a time; none: they are lost.
    [[nodiscard]] std::optional<std::uint32_t> serving(std::uint32_t channel, std::uint32_t die,
                                                       Time now) const
    {
        const auto failed = std::find_if(dies_.begin(), dies_.end(), [&](const FailedDie& one) {
            return one.channel == channel && one.die == die && one.at <= now;
        });
        return failed == dies_.end() ? die : failed->moved_to;
    }

private:
    std::vector<FailedDie> dies_;
};

} // namespace levee::flash
