// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Reports a queue to which both an interrupt handler and other code submit descriptors while the
/// interrupt is enabled. The handler could run after the other code has written a descriptor's
/// address but before it rings the doorbell.
class QueueFeeders : private CommandObserver {
public:
    /// All arguments must outlive the simulation. `queues` must observe all queues of the system,
    /// and must have been created first.
    QueueFeeders(const Context& context, std::deque<QueueWatch>& queues, Findings& findings);
    QueueFeeders(const QueueFeeders&) = delete;
    QueueFeeders& operator=(const QueueFeeders&) = delete;

    void interrupted(riscv::Interrupt interrupt);

private:
    struct Fed {
        const QueueWatch* watch;
        /// For each interrupt source, the place in code outside handlers that submits descriptors
        /// and could be interrupted by it.
        std::map<std::string, QueueWatch::Place> open{};
        std::map<std::string, QueueWatch::Place> handled{}; ///< places in handlers that submit
                                                            ///< descriptors, by the handler's
                                                            ///< source
        std::uint64_t latest_ps = UINT64_MAX;
        bool reported = false;
    };

    [[nodiscard]] bool is_enabled(riscv::Interrupt interrupt) const;
    [[nodiscard]] bool any_outstanding() const;
    void for_each_possible(auto visit) const;
    void report(Fed& fed);

    void submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t) override;

    const Context& context_;
    Findings& findings_;
    std::vector<Fed> queues_;
    std::string source_; ///< source of the last interrupt; empty until it is known
};

} // namespace levee::checks
