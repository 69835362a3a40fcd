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

/// Components of a system, in the order: core, bus, commands, memories, blocks, chip_other.
[[nodiscard]] std::vector<Component> components_of(const SystemPlan& plan);
/// All types there are, in any system.
[[nodiscard]] std::vector<ComponentType> component_types();

/// Fills a ledger from a running system (docs/energy.md says with which events). Functional and
/// phantom runs give the same counts.
class Meter : private bus::BusObserver {
public:
    /// All outlive the simulation.
    Meter(const SystemPlan& plan, System& system, Ledger& ledger);

    /// A phase begins; what follows is counted under it.
    void enter(levee_phase phase, Picoseconds now);
    /// Brings what is not counted as it happens up to `now`: time, refreshes, instructions.
    void settle(Picoseconds now);

private:
    /// Where the bytes of a resource are counted.
    struct Traffic {
        const void* key; ///< a FlowResource, a window of the bus or a memory
        unsigned read, write;
        bool counts; ///< false: they are nobody's (a stream port's, an array's own time)
    };

    /// Follows one queue.
    class Queue : public CommandObserver {
    public:
        Queue(Meter& meter, unsigned component, levee_block_type type);

    private:
        void costs(const CommandQueue&, const levee_descriptor& descriptor,
                   std::span<const FlowUse> uses, std::span<const CountedEvent> work) override;
        void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
        void taken(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
        void fetched(const CommandQueue&, const levee_descriptor&) override {}
        void started(const CommandQueue&, const levee_descriptor&, const Activity&, bool) override
        {
        }
        void finished(const CommandQueue&, std::uint32_t, bool) override {}
        void emptied(const CommandQueue&) override {}

        [[nodiscard]] unsigned operation_of(const levee_descriptor& descriptor);
        [[nodiscard]] unsigned account_of(const char* event);

        Meter& meter_;
        unsigned component_;
        levee_block_type type_;
        std::array<int, 256> operations_; ///< by opcode; below 0: not seen yet
        std::vector<std::pair<const char*, unsigned>> events_;
    };

    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] const Traffic& traffic_of(const FlowResource& resource);
    [[nodiscard]] const Traffic& traffic_of(const bus::Mapping& window);
    [[nodiscard]] const Traffic& traffic_of(const PlannedMemory& memory);
    [[nodiscard]] Traffic traffic_at(const void* key, const std::string& name);
    [[nodiscard]] unsigned component(const std::string& name) const;
    void settle_refreshes();

    const SystemPlan& plan_;
    System& system_;
    Ledger& ledger_;
    std::vector<std::string> memories_;
    std::deque<Queue> queues_;
    std::vector<Traffic> resources_, windows_;
    unsigned background_, program_, instructions_account_, descriptors_account_;
    std::array<unsigned, LEVEE_EDRAM_GROUPS> refresh_operations_;
    std::vector<unsigned> static_accounts_;
    std::vector<unsigned> refresh_accounts_;    ///< by memory
    std::vector<edram::GroupCounts> refreshed_; ///< by memory: rows, counted so far
    Picoseconds settled_ = 0;
    std::uint64_t instructions_ = 0;
};

} // namespace levee::energy
