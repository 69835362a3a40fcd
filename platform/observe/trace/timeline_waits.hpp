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

/// Records when each wait of a descriptor was satisfied, and by which block.
class TimelineWaits {
public:
    /// `counters` must outlive this object. `lines` is the number of queues.
    TimelineWaits(const SyncCounters& counters, std::size_t lines)
        : counters_(counters), waits_(lines)
    {
    }

    /// Called when queue `line` has fetched a descriptor.
    void fetched(std::size_t line, const levee_descriptor& descriptor);
    void changed(std::uint32_t counter, Picoseconds now);
    /// Records which operation has last written the counter, such as "rsa, layer 3 SCORES".
    void raised(std::uint32_t counter, const std::string& by);

    /// Returns the cause of the wait of a queue's descriptor: "rsa, layer 3 SCORES", "the core" if
    /// the core wrote the counter, "counter 5 to reach 3", or "the other end of a stream port".
    [[nodiscard]] std::string blamed(std::size_t line) const;
    /// Returns a text such as "at 12.5 us by rsa, layer 3 SCORES" for wait `index` of the
    /// descriptor. Returns an empty text if the wait is not satisfied yet, or if it already was
    /// when the descriptor was fetched.
    [[nodiscard]] std::string satisfied(std::size_t line, std::size_t index) const;

private:
    struct Wait {
        std::uint8_t counter = LEVEE_NO_COUNTER;
        std::uint32_t value = 0;
        bool is_open = false;
        std::optional<Picoseconds> reached_at; // nothing if already satisfied at the fetch
        std::string by;
    };
    struct Waits {
        Wait all[LEVEE_DESCRIPTOR_WAITS];
    };

    const SyncCounters& counters_;
    std::vector<Waits> waits_;
    std::vector<Wait*> latest_;
};

} // namespace levee::trace
