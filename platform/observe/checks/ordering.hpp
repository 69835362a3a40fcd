// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/counter_history.hpp"
#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace levee::checks {

/// Order that the program enforces, whatever the times of events (happens-before). An operation
/// comes after everything that the core did before its doorbell, after the earlier operations of
/// its queue, and after the operations that raised the counters to the awaited values. The core
/// comes after each operation whose end it has seen in a counter, DONE_COUNT, STATUS, FREE or
/// IRQ_STATUS, or by an interrupt.
class Ordering : private CommandObserver, private bus::BusObserver, private riscv::Observer {
public:
    static constexpr std::size_t core_party = 0;

    explicit Ordering(const Context& context);
    Ordering(const Ordering&) = delete;
    Ordering& operator=(const Ordering&) = delete;

    [[nodiscard]] const VectorClock& of_core() const { return core_; }
    /// Clock of the operation that a queue executes, all of whose waits are satisfied.
    [[nodiscard]] const VectorClock& of_queue(const CommandQueue& queue);
    [[nodiscard]] std::size_t party(const CommandQueue& queue) const;
    /// The knowledge of the core and of all operations submitted so far.
    [[nodiscard]] VectorClock known_to_all() const;
    /// Producer whose stream the running operation of this queue consumes; null: none.
    [[nodiscard]] const CommandQueue* producer(const CommandQueue& consumer) const;
    /// Counts what changes known_to_all().
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    /// The core has taken an external interrupt.
    void interrupted() { see_pending(); }

private:
    struct Block {
        const CommandQueue* queue = nullptr;
        std::uint32_t registers = 0;
        std::uint32_t irq = 0;
        std::deque<VectorClock> doorbells; ///< Doorbells of descriptors that have not been taken
                                           ///< yet.
        VectorClock clock;
        VectorClock done;                     ///< Clock at the last end of an operation.
        VectorClock taken;                    ///< `done` when the last descriptor was taken
        std::optional<VectorClock> interrupt; ///< clock of the first end that set IRQ_DONE
        /// A descriptor whose waits are not yet included in `clock`.
        std::optional<levee_descriptor> descriptor;
        bool executing = false;
        bool raises = false;              ///< the operation in execution sets IRQ_DONE
        std::vector<std::uint64_t> ports; ///< streams that the operation in execution names
        bool produces = false;            ///< the operation runs as a producer
        const Block* consumer = nullptr;  ///< consumer of its results
    };
    [[nodiscard]] Block& block(const CommandQueue& queue);
    void add_to(std::uint32_t counter, const VectorClock& clock);
    void join_reached(VectorClock& clock, std::uint32_t counter, std::uint32_t value) const;
    void await(Block& block);
    void follow_stream(Block& consumer);
    static void follow_consumer(Block& producer);
    void see(const VectorClock& clock);
    void see_pending();
    void see_interrupt(std::uint32_t irq);
    void read_queue(const Block& block, std::uint32_t offset, std::uint32_t value);
    void read_sync(std::uint32_t offset);
    void write_sync(std::uint32_t offset);

    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    void submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t) override;
    void taken(const CommandQueue& queue, std::uint64_t, std::uint32_t) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor, const Activity&,
                 bool streams) override;
    void signalled(const CommandQueue& queue, std::uint32_t counter) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void emptied(const CommandQueue& queue) override;
    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}

    const Context& context_;
    const int core_initiator_;
    const RegisterFile* plic_ = nullptr;
    const RegisterFile* sync_ = nullptr;
    const SyncCounters* counting_ = nullptr; ///< the same unit
    std::uint32_t sync_base_ = 0;
    std::uint32_t sync_irq_ = 0;
    VectorClock core_;
    std::deque<Block> blocks_; // party i + 1
    std::vector<CounterHistory> counters_;
    bool has_waited_ = false; // the previous instruction was one that sees pending interrupts
    std::uint64_t changes_ = 0;
};

} // namespace levee::checks
