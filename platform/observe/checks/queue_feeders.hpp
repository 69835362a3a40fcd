// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::checks {

/// Reports a queue that is fed both by an interrupt handler and outside of handlers while that
/// interrupt may occur: the handler may run between the other's address and doorbell.
class QueueFeeders : private CommandObserver {
public:
    /// All arguments must outlive the simulation. `queues` observe all queues of the system and are
    /// notified before this.
    QueueFeeders(const Context& context, std::deque<QueueWatch>& queues, Findings& findings);
    QueueFeeders(const QueueFeeders&) = delete;
    QueueFeeders& operator=(const QueueFeeders&) = delete;

    /// The core has taken an interrupt.
    void interrupted(riscv::Interrupt interrupt);

private:
    struct Fed {
        const QueueWatch* watch;
        /// Feeds outside handlers, by the interrupt source that could intervene.
        std::map<std::string, QueueWatch::Place> open{};
        std::map<std::string, QueueWatch::Place> handled{}; ///< Places of feeding, by the interrupt
                                                            ///< whose handler fed the queue.
        std::uint64_t latest_ps = UINT64_MAX;               ///< time of a doorbell
        bool reported = false;
    };

    [[nodiscard]] bool is_enabled(riscv::Interrupt interrupt) const;
    [[nodiscard]] std::set<std::string> possible() const;
    void report(Fed& fed);

    void submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t) override;

    const Context& context_;
    Findings& findings_;
    std::vector<Fed> queues_;
    std::string source_; ///< source of the last interrupt taken, once it is known
};

} // namespace levee::checks
