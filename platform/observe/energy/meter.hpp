// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/energy/ledger.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Returns all energy consumers of a system, in this order: core, bus, commands, the plan's
/// components, chip_other.
[[nodiscard]] std::vector<Consumer> consumers_of(const SystemPlan& plan);
/// Returns the declarations of all types of consumers: the program's own, and those in
/// `libraries`.
[[nodiscard]] std::vector<const Declaration*>
priced_types(std::span<const config::ComponentLibrary> libraries = {});

/// Counts a running system's energy events in a ledger (docs/energy.md lists them). Functional and
/// timing-only runs have the same counts.
class Meter : private bus::BusObserver {
public:
    /// Plan, system and ledger must outlive the simulation. `by_command` has an element for each of
    /// the ledger's components: whether its commands are counted.
    Meter(const SystemPlan& plan, System& system, Ledger& ledger, std::vector<bool> by_command);

    /// Later counts belong to this phase.
    void enter(levee_phase phase, Picoseconds now);
    /// Updates the counts of time, refreshes and instructions to `now`. Other events are counted
    /// when they occur.
    void settle(Picoseconds now);

private:
    /// How the bytes that pass a resource are counted, and for which component.
    struct Traffic {
        const void* key; ///< a FlowResource, a window of the bus, or a memory
        unsigned read, write;
        bool counts; ///< false: the bytes are not counted
        unsigned owner = 0;
        /// The resource's component, if its commands are counted; otherwise null.
        const Component* commands = nullptr;
    };

    /// An activity of a component, such as refresh, that no descriptor causes.
    struct Background {
        const BackgroundActivity* activity;
        unsigned account, operation;
        std::uint64_t counted = 0;
    };

    class Queue : public CommandObserver {
    public:
        Queue(Meter& meter, unsigned component, const CommandQueue& queue);

    private:
        void costs(const CommandQueue&, const levee_descriptor& descriptor,
                   std::span<const FlowUse> uses, std::span<const CountedEvent> work) override;

        [[nodiscard]] unsigned operation_of(const levee_descriptor& descriptor);
        [[nodiscard]] unsigned account_of(const EnergyEvent& event);

        Meter& meter_;
        unsigned component_;
        const Declaration& declaration_;
        std::array<int, 256> operations_; ///< numbers of operations by opcode; negative: none
                                          ///< assigned yet
        std::vector<std::pair<const EnergyEvent*, unsigned>> events_;
    };

    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    [[nodiscard]] const Traffic& traffic_of(const FlowResource& resource);
    [[nodiscard]] const Traffic& traffic_of(const bus::Mapping& window);
    [[nodiscard]] const Traffic& traffic_of(const PlannedComponent& memory);
    [[nodiscard]] Traffic traffic_into(const void* key, const FlowAccount& account);
    [[nodiscard]] unsigned component(const std::string& name) const;
    void count_commands(const Traffic& traffic, unsigned operation, Direction direction,
                        const AccessPattern& pattern, std::uint64_t bytes);
    void watch(unsigned component, const BackgroundActivity& activity);

    const SystemPlan& plan_;
    System& system_;
    Ledger& ledger_;
    std::vector<bool> by_command_;
    std::deque<Queue> queues_;
    std::vector<Traffic> resources_, windows_;
    unsigned background_, program_, instructions_account_, descriptors_account_;
    std::vector<unsigned> static_accounts_;
    std::vector<Background> backgrounds_;
    Picoseconds settled_ = 0;
    std::uint64_t instructions_ = 0;
};

} // namespace levee::energy
