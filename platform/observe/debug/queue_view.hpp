// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_queue.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace levee::debug {

/// State of a block's command queue, for display.
class QueueView : private CommandObserver {
public:
    explicit QueueView(CommandQueue& queue) { queue.observe(*this); }
    QueueView(const QueueView&) = delete;
    QueueView& operator=(const QueueView&) = delete;

    /// Called when the queue has become empty.
    std::function<void()> on_idle;

    [[nodiscard]] bool idle() const { return !executing_ && waiting_ == 0; }
    [[nodiscard]] bool executing() const { return executing_; }
    /// The descriptor in execution, once fetched.
    [[nodiscard]] const std::optional<levee_descriptor>& descriptor() const { return descriptor_; }
    /// True once the descriptor's waits are satisfied.
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] std::uint32_t waiting() const
    {
        return waiting_;
    } ///< descriptors queued behind it

private:
    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t waiting) override
    {
        waiting_ = waiting;
    }
    void taken(const CommandQueue&, std::uint64_t, std::uint32_t waiting) override
    {
        waiting_ = waiting;
        executing_ = true;
        running_ = false;
        descriptor_.reset();
    }
    void fetched(const CommandQueue&, const levee_descriptor& descriptor) override
    {
        descriptor_ = descriptor;
    }
    void started(const CommandQueue&, const levee_descriptor& descriptor, const Activity&,
                 bool) override
    {
        descriptor_ = descriptor;
        running_ = true;
    }
    void finished(const CommandQueue&, std::uint32_t, bool) override
    {
        executing_ = false;
        descriptor_.reset();
        notify();
    }
    void emptied(const CommandQueue&) override
    {
        waiting_ = 0;
        notify();
    }
    void notify() const
    {
        if (idle() && on_idle)
            on_idle();
    }

    std::optional<levee_descriptor> descriptor_;
    bool executing_ = false;
    bool running_ = false;
    std::uint32_t waiting_ = 0;
};

} // namespace levee::debug
