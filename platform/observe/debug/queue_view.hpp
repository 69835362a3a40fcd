// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/flow/flow_engine.hpp"
#include "ip/riscv/hart.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

namespace levee::debug {

/// Follows a block's command queue, so that its state can be shown.
class QueueView : private CommandObserver {
public:
    /// A write to a doorbell register that submitted a descriptor, with the core's position at that
    /// time.
    struct Submission {
        std::uint64_t id = 0; ///< number of the descriptor among all submitted to the queue
        std::uint32_t pc = 0;
        std::uint32_t ra = 0;
        Picoseconds ps = 0;
    };

    QueueView(CommandQueue& queue, const riscv::Hart& hart) : queue_(queue), hart_(hart)
    {
        queue.observe(*this);
    }
    QueueView(const QueueView&) = delete;
    QueueView& operator=(const QueueView&) = delete;

    std::function<void()> on_idle;
    /// Called when an operation is about to read its operands (`ends` is false), and when its
    /// results are in memory (`ends` is true). May be null.
    std::function<void(const levee_descriptor&, bool ends)> on_operation;

    [[nodiscard]] const CommandQueue& queue() const { return queue_; }
    [[nodiscard]] bool idle() const { return !executing_ && submissions_.empty(); }
    [[nodiscard]] bool executing() const { return executing_; }
    /// Returns the descriptor in execution, which is set from its fetch on.
    [[nodiscard]] const std::optional<levee_descriptor>& descriptor() const { return descriptor_; }
    /// True once the descriptor's waits are over.
    [[nodiscard]] bool running() const { return running_; }
    /// Returns true if the operation writes to a stream port and waits for the consumer of the
    /// stream.
    [[nodiscard]] bool streams() const { return streams_; }
    [[nodiscard]] Picoseconds started_ps() const
    {
        return started_ps_;
    } ///< only valid if running()
    /// Returns the number of descriptors that wait behind the one in execution.
    [[nodiscard]] std::uint32_t waiting() const
    {
        return static_cast<std::uint32_t>(submissions_.size());
    }
    /// Returns the submission of the descriptor in execution. submissions() returns the submissions
    /// of the descriptors behind it.
    [[nodiscard]] const Submission& submission() const { return submission_; }
    [[nodiscard]] const std::deque<Submission>& submissions() const { return submissions_; }

private:
    void submitted(const CommandQueue&, std::uint64_t id, std::uint32_t) override
    {
        constexpr unsigned ra = 1; // RISC-V calling convention
        submissions_.push_back({id, hart_.access_pc(), hart_.reg(ra), now_ps()});
    }
    void taken(const CommandQueue&, std::uint64_t, std::uint32_t) override
    {
        submission_ = submissions_.front();
        submissions_.pop_front();
        executing_ = true;
        running_ = streams_ = false;
        descriptor_.reset();
    }
    void fetched(const CommandQueue&, const levee_descriptor& descriptor) override
    {
        descriptor_ = descriptor;
    }
    void started(const CommandQueue&, const levee_descriptor& descriptor, const Activity&,
                 bool streams) override
    {
        descriptor_ = descriptor;
        running_ = true;
        streams_ = streams;
        started_ps_ = now_ps();
    }
    void ready(const CommandQueue&, const levee_descriptor& descriptor) override
    {
        if (on_operation)
            on_operation(descriptor, false);
    }
    void finished(const CommandQueue&, std::uint32_t error, bool dropped) override
    {
        if (on_operation && descriptor_ && error == LEVEE_ERROR_NONE && !dropped)
            on_operation(*descriptor_, true);
        executing_ = false;
        descriptor_.reset();
        notify();
    }
    void emptied(const CommandQueue&) override
    {
        submissions_.clear();
        notify();
    }
    void notify() const
    {
        if (idle() && on_idle)
            on_idle();
    }

    const CommandQueue& queue_;
    const riscv::Hart& hart_;
    std::deque<Submission> submissions_;
    Submission submission_;
    std::optional<levee_descriptor> descriptor_;
    Picoseconds started_ps_ = 0;
    bool executing_ = false;
    bool running_ = false;
    bool streams_ = false;
};

} // namespace levee::debug
