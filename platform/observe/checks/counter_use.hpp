// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Reports additions to a sync counter that are lost, or could be. This happens if the core reads
/// the counter and then sets it to a slightly larger value while operations add to it.
class CounterUse : private bus::BusObserver {
public:
    /// All arguments must outlive the simulation. `queues` must observe all queues of the system.
    CounterUse(const Context& context, const std::deque<QueueWatch>& queues, Findings& findings);
    CounterUse(const CounterUse&) = delete;
    CounterUse& operator=(const CounterUse&) = delete;

private:
    struct Counter {
        std::uint32_t now = 0;
        std::uint32_t before = 0;
        std::optional<std::uint32_t> read; ///< value that the core has read, until it sets the
                                           ///< counter
        bool reported = false;
    };

    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    void set(std::uint32_t number, std::uint32_t value);
    [[nodiscard]] std::string adding(std::uint32_t counter) const;

    const Context& context_;
    const std::deque<QueueWatch>& queues_;
    Findings& findings_;
    const int core_;
    std::string unit_;
    std::vector<Counter> counters_;
};

} // namespace levee::checks
