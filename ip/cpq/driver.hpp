// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/cpq/boundary.hpp"
#include "ip/cpq/groups.hpp"
#include "ip/cpq/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::cpq {

/// Results of the reference for groups that do not depend on each other.
[[nodiscard]] std::vector<GroupResult> expected_of(std::span<const Group> groups);

/// Drives a design with groups as fast as its ready signals and the gates (back-pressure) allow.
/// The channels are group and result.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 2;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary{}, compare_cycles) {}

    using Options = RtlRunOptions<GroupResult>;

    /// Runs one operation; `groups` must not be empty. Stops at the first wrong value.
    std::vector<GroupResult> run(std::span<const Group> groups, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;

    struct Progress {
        std::span<const Group> groups;
        std::span<const GroupResult> expected, known;
        std::vector<GroupResult> results;
        std::size_t taken = 0, done_with = 0;
        bool offered = false;
        std::uint64_t taken_in = 0; ///< Cycle in which the last group was taken.

        [[nodiscard]] bool done() const { return done_with == groups.size(); }
        /// Returns the group in progress or, if there is none, the next group. Its settings apply.
        [[nodiscard]] const Group& current() const
        {
            return groups[std::min(std::max(taken, std::size_t{1}), groups.size()) - 1];
        }
    };

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_level(const Progress& progress, const Outputs& out);
    void compare_lane(const Progress& progress, std::size_t lane, const LaneResult& got);
    void give_up(const Progress& progress);

    const Progress* progress_ = nullptr; ///< Progress of the current operation.
};

} // namespace levee::cpq
