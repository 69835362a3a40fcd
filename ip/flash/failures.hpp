// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/requests.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace levee::flash {

/// A die that has failed.
struct FailedDie {
    std::uint32_t channel = 0, die = 0; ///< `die` is the number within the channel.
    Time at = 0; ///< Operations that begin at this time or later find the die failed.
    /// Die of the same channel whose spare blocks hold the pages, and which serves the requests. If
    /// empty, the pages are lost.
    std::optional<std::uint32_t> moved_to;
};

/// Describes an error in the list; empty if it is valid.
[[nodiscard]] inline std::string fault_of(const std::vector<FailedDie>& dies)
{
    const auto count = [&](std::uint32_t channel, std::uint32_t die) {
        return std::count_if(dies.begin(), dies.end(), [&](const FailedDie& one) {
            return one.channel == channel && one.die == die;
        });
    };
    for (const FailedDie& one : dies) {
        const std::string its = "of channel " + std::to_string(one.channel);
        if (count(one.channel, one.die) > 1)
            return "lists die " + std::to_string(one.die) + " " + its + " twice";
        if (one.moved_to && count(one.channel, *one.moved_to) != 0)
            return "moves pages " + its + " to die " + std::to_string(*one.moved_to) +
                   ", which also fails; expected a die that does not fail";
    }
    return {};
}

/// Maps failed dies to the dies that hold their pages.
class Failures {
public:
    explicit Failures(std::vector<FailedDie> dies) : dies_(std::move(dies)) {}

    /// Returns the die that holds the pages of `die` at time `now`; empty if the pages are lost.
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
