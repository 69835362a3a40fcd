// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/counter_history.hpp"
#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace levee::checks {

/// Derives the order of events that the program enforces (happens-before), whatever their times in
/// this run. An operation comes after everything that the core did before its doorbell, after
/// earlier operations of its queue, and after all operations whose signals satisfy its waits. The
/// core comes after each operation whose end it has seen: in a counter, in DONE_COUNT, STATUS, FREE
/// or IRQ_STATUS, or by an interrupt.
class Ordering : private CommandObserver, private bus::BusObserver, private riscv::Observer {
public:
    static constexpr std::size_t core_party = 0;

    explicit Ordering(const Context& context);
    Ordering(const Ordering&) = delete;
    Ordering& operator=(const Ordering&) = delete;

    [[nodiscard]] const VectorClock& of_core() const { return core_; }
    /// of_queue() returns the clock of the operation that a queue executes, including its waits.
    /// party() returns the queue's index in vector clocks.
    [[nodiscard]] const VectorClock& of_queue(const CommandQueue& queue);
    [[nodiscard]] std::size_t party(const CommandQueue& queue) const;
    /// Returns the clock of the events that the core and all submitted operations know.
    [[nodiscard]] VectorClock known_to_all() const;
    /// Returns the producer whose stream this queue's operation consumes; null if there is none.
    [[nodiscard]] const CommandQueue* producer(const CommandQueue& consumer) const;
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    void interrupted() { see_pending(); }

private:
    struct Block {
        const CommandQueue* queue = nullptr;
        std::uint32_t registers = 0;
        std::uint32_t irq = 0;
        std::deque<VectorClock> doorbells; ///< clock at each doorbell whose descriptor the block
                                           ///< has not taken yet
        VectorClock clock;
        VectorClock done;                     ///< clock at the last end of an operation
        VectorClock taken;                    ///< `done` when the current descriptor was taken
        std::optional<VectorClock> interrupt; ///< clock at the first end that raised IRQ_DONE
        /// The current descriptor. Reset once its waits are part of `clock`.
        std::optional<levee_descriptor> descriptor;
        bool executing = false;
        bool raises = false;              ///< the current operation will raise IRQ_DONE
        std::vector<std::uint64_t> ports; ///< stream ports among the current operation's operands
        bool produces = false;            ///< the current operation is a producer for a stream port
        const Block* consumer = nullptr;  ///< the block that consumes its output
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
    const SyncCounters* counting_ = nullptr;
    std::uint32_t sync_base_ = 0;
    std::uint32_t sync_irq_ = 0;
    VectorClock core_;
    std::deque<Block> blocks_;
    std::vector<CounterHistory> counters_;
    bool has_waited_ = false; // the previous instruction was a wfi, or read pending interrupts
    std::uint64_t changes_ = 0;
};

} // namespace levee::checks
