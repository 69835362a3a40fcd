// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/mistakes/names.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace levee::mistakes {

/// Follows one component's queue: names what it refuses when it refuses it, and knows what it is
/// busy with when a run ends before its program.
class QueueWatch : private CommandObserver {
public:
    /// `component`: index in the plan, of one that has a queue.
    QueueWatch(const Context& context, std::size_t component);
    QueueWatch(const QueueWatch&) = delete;
    QueueWatch& operator=(const QueueWatch&) = delete;

    [[nodiscard]] const std::string& name() const { return planned_.name; }
    [[nodiscard]] const Declaration& declaration() const { return queue_.declaration(); }
    [[nodiscard]] bool executing() const { return executing_; }
    /// Of what is being executed, once it has been fetched.
    [[nodiscard]] const std::optional<levee_descriptor>& descriptor() const { return descriptor_; }
    [[nodiscard]] bool running() const { return running_; } ///< what it waited for has come
    [[nodiscard]] bool streams() const { return streams_; } ///< running into a stream port
    [[nodiscard]] std::uint32_t error() const;              ///< that stopped it, or 0
    /// Descriptors behind the one being executed.
    [[nodiscard]] std::size_t waiting() const { return origins_.size(); }
    /// "submitted by command_queue_submit+0x20, called from main+0x5c"
    [[nodiscard]] std::string origin() const { return from(origin_); }

private:
    /// Where the core was when it rang the doorbell.
    struct Origin {
        std::uint32_t pc = 0;
        std::uint32_t ra = 0;
    };

    [[nodiscard]] Origin here() const;
    [[nodiscard]] std::string from(const Origin& origin) const;
    [[nodiscard]] const RegisterFile& registers() const { return queue_.register_file(); }

    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override;
    void taken(const CommandQueue&, std::uint64_t, std::uint32_t) override;
    void fetched(const CommandQueue&, const levee_descriptor& descriptor) override;
    void started(const CommandQueue&, const levee_descriptor& descriptor, const Activity&,
                 bool streams) override;
    void finished(const CommandQueue&, std::uint32_t error, bool dropped) override;
    void overflowed(const CommandQueue&, std::uint32_t count, std::uint32_t room) override;
    void emptied(const CommandQueue&) override { origins_.clear(); }

    const Context& context_;
    const PlannedComponent& planned_;
    const CommandQueue& queue_;
    std::deque<Origin> origins_; // of the descriptors in the queue
    Origin origin_;              // of the one being executed
    std::optional<levee_descriptor> descriptor_;
    bool executing_ = false;
    bool running_ = false;
    bool streams_ = false;
};

} // namespace levee::mistakes
