// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"
#include "ip/voting_engine/boundary.hpp"
#include "ip/voting_engine/model.hpp"
#include "ip/voting_engine/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee::voting_engine {

/// The vectors of an entry, or an election.
struct Job {
    bool elects = false;
    Factors factors;
    std::vector<std::vector<std::uint16_t>> vectors; ///< FP16, any; the last is of all slots
    std::vector<std::uint32_t> positions;            ///< Positions by slot.
    std::vector<std::uint16_t> votes;                ///< Earlier votes by slot.
    std::uint32_t protect = 0;
};

struct JobResult {
    std::vector<std::uint16_t> votes;
    std::uint32_t slot = none; ///< slot of an election
    /// Inclusive cycles from a vote's first element to its last element and to its last count, or
    /// from an election's first slot to its result.
    std::uint64_t taken = 0, passed = 0;
};

/// The reference's results (model.hpp), without cycles.
[[nodiscard]] std::vector<JobResult> expected_of(std::span<const Job> jobs);

/// Drives a design with jobs as fast as its ready signals and gates allow. Channels: cmd, slot,
/// element, count, store, result.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 6;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    using Options = RtlRunOptions<JobResult>;

    /// Runs one operation. `jobs` is valid and not empty. Ends at the first difference in values.
    std::vector<JobResult> run(std::span<const Job> jobs, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;

    /// The contents of a channel, in order, and its progress.
    template <typename Item> struct Channel {
        std::vector<Item> items;
        std::vector<std::size_t> jobs; ///< Jobs of each item.
        std::size_t at = 0;

        void add(std::size_t job, const Item& item)
        {
            items.push_back(item);
            jobs.push_back(job);
        }
        [[nodiscard]] bool has() const { return at < items.size(); }
        [[nodiscard]] const Item& item() const { return items[at]; }
        [[nodiscard]] std::size_t job() const { return has() ? jobs[at] : jobs.size(); }
    };
    struct Progress;

    void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) override;
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override;
    void expect(const Inputs& in, Outputs& out) const override;

    [[nodiscard]] Inputs inputs(Progress& progress);
    bool observe(Progress& progress, const Inputs& in, const Outputs& out);
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out);
    void give_up(const Progress& progress);

    const Progress* progress_ = nullptr; ///< progress of the current operation
};

} // namespace levee::voting_engine
