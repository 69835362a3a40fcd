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

/// Observes a component's queue. It reports refused descriptors, and descriptors that were
/// overwritten while they were queued. It also describes the queue if the run ends before the
/// program, or the program before its operations.
class QueueWatch : private CommandObserver {
public:
    /// `component` is the plan's index of a component that has a queue.
    QueueWatch(const Context& context, std::size_t component, Findings& findings);
    QueueWatch(const QueueWatch&) = delete;
    QueueWatch& operator=(const QueueWatch&) = delete;

    /// Returns a queued or running descriptor that will add to the counter; nothing if there is
    /// none.
    [[nodiscard]] std::optional<levee_descriptor> adding_to(std::uint32_t counter) const;
    /// Returns whether descriptors of earlier doorbells are outstanding.
    [[nodiscard]] bool has_outstanding() const;
    /// Returns whether an outstanding descriptor raises IRQ_DONE, and this interrupt is enabled.
    [[nodiscard]] bool may_interrupt() const;
    /// A place in the program: the pc, and the return address in ra.
    struct Place {
        std::uint32_t pc = 0;
        std::uint32_t ra = 0;
    };

    /// Returns the core's current place.
    [[nodiscard]] Place here() const;

    [[nodiscard]] const std::string& name() const { return planned_.name; }
    [[nodiscard]] const CommandQueue& queue() const { return queue_; }
    [[nodiscard]] CommandQueue& queue() { return queue_; }
    [[nodiscard]] const RegisterFile& registers() const { return queue_.register_file(); }
    [[nodiscard]] const Declaration& declaration() const { return queue_.declaration(); }
    [[nodiscard]] bool executing() const { return executing_; }
    /// Returns the descriptor in execution, from its fetch on.
    [[nodiscard]] const std::optional<levee_descriptor>& descriptor() const { return descriptor_; }
    [[nodiscard]] bool running() const
    {
        return running_;
    } ///< whether the descriptor's waits are satisfied
    [[nodiscard]] bool streams() const
    {
        return streams_;
    }                                          ///< whether it runs as a producer for a stream port
    [[nodiscard]] std::uint32_t error() const; ///< the error that stopped the queue; 0: none
    /// Returns the number of descriptors that wait behind the one in execution.
    [[nodiscard]] std::size_t waiting() const { return origins_.size(); }
    /// Returns the time of the doorbell for the descriptor in execution, in picoseconds.
    [[nodiscard]] std::uint64_t submitted_ps() const { return origin_.ps; }
    /// Returns a text such as "submitted by command_queue_submit+0x20, called from main+0x5c".
    [[nodiscard]] std::string origin() const { return from(origin_.place); }
    /// Like origin(), but for any place in the program.
    [[nodiscard]] std::string from(const Place& place) const
    {
        return "submitted by " + locate(place);
    }
    /// Returns the place of the doorbell for the descriptor in execution.
    [[nodiscard]] const Place& doorbell() const { return origin_.place; }
    /// The last reset that dropped descriptors.
    struct Reset {
        std::uint64_t ps = 0;
        Place place;
        std::vector<levee_descriptor> dropped; ///< the dropped descriptors, in the order in which
                                               ///< they would have executed
        bool past = false;                     ///< a descriptor that was submitted after the reset
                                               ///< has ended
    };
    [[nodiscard]] const std::optional<Reset>& reset() const { return reset_; }
    /// Returns a text such as "was reset at 12.5 us by f+0x20, called from main+0x5c, with GEMM,
    /// tag 7, and 2 more descriptors pending".
    [[nodiscard]] std::string reset_text() const;
    /// Returns the remaining descriptors as text, such as "GEMM, tag 7, is running, and 2
    /// descriptors are queued behind it"; empty if there are none.
    [[nodiscard]] std::string left() const;

private:
    using Bytes = std::array<std::uint8_t, LEVEE_DESCRIPTOR_BYTES>;
    struct Origin {
        Place place;
        std::uint64_t id = 0;
        std::uint64_t ps = 0;
        std::uint64_t address = 0;
        Bytes bytes{};
    };

    [[nodiscard]] std::string locate(const Place& place) const;
    [[nodiscard]] bool any_outstanding(auto predicate) const;
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
    std::uint64_t doorbell_cycle_ = UINT64_MAX;
    std::uint64_t doorbell_address_ = 0;
    std::uint64_t of_doorbell_ = 0; // the descriptor's index among the descriptors of its doorbell
    std::list<Origin> origins_;
    std::list<Origin> spare_; // unused list nodes, so that a descriptor needs no allocation
    Origin origin_;
    std::optional<Reset> reset_;
    std::optional<levee_descriptor> descriptor_;
    bool executing_ = false;
    bool running_ = false;
    bool streams_ = false;
};

} // namespace levee::checks
