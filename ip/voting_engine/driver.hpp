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

/// One job of the hardware: counting the votes of an entry's vectors, or electing a slot.
struct Job {
    bool elects = false;
    Factors factors;
    std::vector<std::vector<std::uint16_t>> vectors; ///< FP16, any values; the last vector covers
                                                     ///< all slots.
    std::vector<std::uint32_t> positions;            ///< Positions by slot.
    std::vector<std::uint16_t> votes;                ///< Earlier votes by slot.
    std::uint32_t protect = 0;
};

struct JobResult {
    std::vector<std::uint16_t> votes;
    std::uint32_t slot = none; ///< Slot that an election chose.
    /// Cycles, including the first and the last one. Votes: from the first element to the last
    /// element, and to the last count. Election: from the first slot to the result.
    std::uint64_t taken = 0, passed = 0;
};

/// Returns the results of the reference (model.hpp), without cycles.
[[nodiscard]] std::vector<JobResult> expected_of(std::span<const Job> jobs);

/// Drives a design with jobs as fast as its ready signals and back-pressure (gates) allow. The
/// channels are cmd, slot, element, count, store and result.
class Driver final : public RtlDriver<Ports, Boundary> {
public:
    static constexpr unsigned channels = 6;

    Driver(Pins& pins, bool compare_cycles) : RtlDriver(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    using Options = RtlRunOptions<JobResult>;

    /// Runs one operation. `jobs` must be valid and not empty. Stops at the first wrong value.
    std::vector<JobResult> run(std::span<const Job> jobs, const Options& options);
    [[nodiscard]] RtlPlace place() const override;

private:
    friend class RtlDriver<Ports, Boundary>;

    /// Data of a channel in order, and the number of items transferred so far.
    template <typename Item> struct Channel {
        std::vector<Item> items;
        std::vector<std::size_t> jobs; ///< The job of each item.
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

    const Progress* progress_ = nullptr; ///< Progress of the current operation.
};

} // namespace levee::voting_engine
