// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"
#include "core/command/sync_counters.hpp"
#include "core/units/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::trace {

/// Waits of descriptors for counters: when each was satisfied, and by which block.
class TimelineWaits {
public:
    /// `counters` must outlive this. `lines`: number of queues.
    TimelineWaits(const SyncCounters& counters, std::size_t lines)
        : counters_(counters), waits_(lines)
    {
    }

    /// A queue has fetched a descriptor.
    void fetched(std::size_t line, const levee_descriptor& descriptor);
    /// A counter has been written.
    void changed(std::uint32_t counter, Picoseconds now);
    /// The counter that was written last was raised by this operation: "rsa, layer 3 SCORES".
    void raised(std::uint32_t counter, const std::string& by);

    /// The object of a wait of a queue's descriptor: "rsa, layer 3 SCORES", "the core" (which wrote
    /// the counter), "counter 5 to reach 3", "the other end of a stream port".
    [[nodiscard]] std::string blamed(std::size_t line) const;
    /// "at 12.5 us by rsa, layer 3 SCORES", for wait `index` of the descriptor; empty if it was
    /// satisfied when the descriptor was fetched.
    [[nodiscard]] std::string satisfied(std::size_t line, std::size_t index) const;

private:
    struct Wait {
        std::uint8_t counter = LEVEE_NO_COUNTER;
        std::uint32_t value = 0;
        bool is_open = false;
        std::optional<Picoseconds> reached_at; // Time after the fetch.
        std::string by;
    };
    struct Waits {
        Wait all[LEVEE_DESCRIPTOR_WAITS];
    };

    const SyncCounters& counters_;
    std::vector<Waits> waits_;  // Waits by queue.
    std::vector<Wait*> latest_; // satisfied by the latest write
};

} // namespace levee::trace
