// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Observes one component's queue. It reports refused descriptors and descriptors that were
/// overwritten while queued, and it provides the queue's state if the run ends before the program,
/// or the program before the queue.
class QueueWatch : private CommandObserver {
public:
    /// `component` is the index in the plan of a component that has a queue.
    QueueWatch(const Context& context, std::size_t component, Findings& findings);
    QueueWatch(const QueueWatch&) = delete;
    QueueWatch& operator=(const QueueWatch&) = delete;

    /// A descriptor, queued or in execution, that will add to the counter.
    [[nodiscard]] std::optional<levee_descriptor> adding_to(std::uint32_t counter) const;
    /// Descriptors of earlier doorbells: whether there are any, and one that sets IRQ_DONE.
    struct Outstanding {
        bool any = false;
        bool raises = false;
    };
    [[nodiscard]] Outstanding outstanding() const;
    /// The place of the core.
    struct Place {
        std::uint32_t pc = 0;
        std::uint32_t ra = 0;
    };

    /// The current place.
    [[nodiscard]] Place here() const;

    [[nodiscard]] const std::string& name() const { return planned_.name; }
    [[nodiscard]] const CommandQueue& queue() const { return queue_; }
    [[nodiscard]] CommandQueue& queue() { return queue_; }
    [[nodiscard]] const RegisterFile& registers() const { return queue_.register_file(); }
    [[nodiscard]] const Declaration& declaration() const { return queue_.declaration(); }
    [[nodiscard]] bool executing() const { return executing_; }
    /// The descriptor in execution, once fetched.
    [[nodiscard]] const std::optional<levee_descriptor>& descriptor() const { return descriptor_; }
    [[nodiscard]] bool running() const
    {
        return running_;
    } ///< Whether the running descriptor's
      ///< waits are satisfied.
    [[nodiscard]] bool streams() const
    {
        return streams_;
    }                                          ///< running as a producer for a stream port
    [[nodiscard]] std::uint32_t error() const; ///< the error that stopped the queue, or 0
    /// Number of descriptors behind the running one.
    [[nodiscard]] std::size_t waiting() const { return origins_.size(); }
    /// Time of the doorbell of the descriptor in execution, in picoseconds.
    [[nodiscard]] std::uint64_t submitted_ps() const { return origin_.ps; }
    /// "submitted by command_queue_submit+0x20, called from main+0x5c"
    [[nodiscard]] std::string origin() const { return from(origin_.place); }
    /// The same text for any doorbell.
    [[nodiscard]] std::string from(const Place& place) const
    {
        return "submitted by " + locate(place);
    }
    /// The place of the doorbell of the descriptor in execution.
    [[nodiscard]] const Place& doorbell() const { return origin_.place; }
    /// The last reset that has dropped descriptors.
    struct Reset {
        std::uint64_t ps = 0;
        Place place;
        std::vector<levee_descriptor> dropped; ///< Dropped descriptors; the first would have been
                                               ///< executed first.
        bool past = false;                     ///< a descriptor submitted since has been executed
    };
    [[nodiscard]] const std::optional<Reset>& reset() const { return reset_; }
    /// "was reset at 12.5 us by f+0x20, called from main+0x5c, with GEMM, tag 7, and 2 more
    /// descriptors pending"
    [[nodiscard]] std::string reset_text() const;
    /// The remaining descriptors in words: "GEMM, tag 7, is running, and 2 descriptors are queued
    /// behind it"; empty if there are none.
    [[nodiscard]] std::string left() const;

private:
    using Bytes = std::array<std::uint8_t, LEVEE_DESCRIPTOR_BYTES>;
    /// Location of the core when it rang the doorbell, and the descriptor at that time.
    struct Origin {
        Place place;
        std::uint64_t id = 0;
        std::uint64_t ps = 0;
        std::uint64_t address = 0;
        Bytes bytes{};
    };

    [[nodiscard]] std::string locate(const Place& place) const;
    void read(std::uint64_t address, Bytes& bytes) const;
    [[nodiscard]] std::uint64_t submitted_address();
    void check_unchanged();

    void submitted(const CommandQueue&, std::uint64_t id, std::uint32_t) override;
    void taken(const CommandQueue&, std::uint64_t, std::uint32_t) override;
    void fetched(const CommandQueue&, const levee_descriptor& descriptor) override;
    void started(const CommandQueue&, const levee_descriptor& descriptor, const Activity&,
                 bool streams) override;
    void finished(const CommandQueue&, std::uint32_t error, bool dropped) override;
    void overflowed(const CommandQueue&, std::uint32_t count, std::uint32_t room) override;
    void emptied(const CommandQueue&) override;

    const Context& context_;
    const PlannedComponent& planned_;
    CommandQueue& queue_;
    Findings& findings_;
    std::uint64_t doorbell_cycle_ = UINT64_MAX; // the core's cycle at the last doorbell
    std::uint64_t doorbell_address_ = 0;
    std::uint64_t of_doorbell_ = 0; // descriptors submitted by it so far
    std::list<Origin> origins_;     // origins of the queued descriptors
    std::list<Origin> spare_;       // spare nodes, so that a descriptor costs no allocation
    Origin origin_;                 // origin of the descriptor in execution
    std::optional<Reset> reset_;
    std::optional<levee_descriptor> descriptor_;
    bool executing_ = false;
    bool running_ = false;
    bool streams_ = false;
};

} // namespace levee::checks
