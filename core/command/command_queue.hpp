// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decision_log.hpp"
#include "core/command/fetched_descriptor.hpp"
#include "core/command/memory_access.hpp"
#include "core/command/operand_streams.hpp"
#include "core/command/operation.hpp"
#include "core/command/register_file.hpp"
#include "core/command/stream_chain.hpp"
#include "core/command/submissions.hpp"
#include "core/units/stats.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace levee {

/// Simulation services and settings that every accelerator block needs.
struct Fabric {
    FlowEngine& engine;
    SyncCounters& sync;
    StreamPorts& streams;
    DataMode data = DataMode::Functional;
    Decisions decisions{};
};

struct CommandQueueConfig {
    std::uint32_t depth = 0; ///< Number of descriptors that can wait while another one runs.
    Picoseconds fetch = 0;   ///< Time to fetch and decode a descriptor; overlaps with the previous
                             ///< operation.
    Picoseconds register_latency = 0; ///< Latency of a register access.
    Timing timing{};

    [[nodiscard]] Picoseconds fetch_time() const { return timing.fetch ? fetch : 0; }
};

/// Command front end of every accelerator block. It takes descriptors one by one and waits for
/// their counters. It then lets the block prepare and run the operation, and signals. The number of
/// kernel events per descriptor is fixed. Its base classes are the interface for executors.
class CommandQueue : public sc_core::sc_module,
                     public MemoryAccess,
                     public OperandStreams,
                     public StreamChain,
                     public DecisionLog {
public:
    SC_HAS_PROCESS(CommandQueue);

    TargetSocket registers;
    /// Called when the level of the interrupt output changes.
    std::function<void(bool)> on_interrupt;
    /// Called in the queue's process between the end of an operation's activity and the writing of
    /// its last results. It may wait for other work that must end first.
    std::function<void()> before_end;

    CommandQueue(const sc_core::sc_module_name& name, const CommandQueueConfig& config,
                 const Declaration& declaration, Executor& executor, Fabric fabric);

    /// Declaration of the queue's component. It must outlive the queue.
    [[nodiscard]] const Declaration& declaration() const { return declaration_; }
    /// Makes operations of several queues share execution units: from now on, their own cycles are
    /// service time of the resource `units`. A single active queue runs at full speed; several
    /// queues get equal shares. `units` offers 1 ps per byte and must outlive the simulation.
    void share_units(FlowResource& units) { units_ = &units; }

    [[nodiscard]] RegisterFile& register_file() { return register_file_; }
    [[nodiscard]] const RegisterFile& register_file() const { return register_file_; }

    void report(Stats& stats) const;

    /// All bytes of the current operation, including its continuation.
    [[nodiscard]] std::span<const std::uint8_t> operation() const { return current_.operation(); }
    /// Descriptors that wait for the current one to end, in order.
    [[nodiscard]] const std::deque<Submissions::Pending>& queued() const
    {
        return submissions_.waiting();
    }
    /// Field of the descriptor whose tensor is being accessed, for observers of the bus.
    [[nodiscard]] std::uint32_t accessed_field() const
    {
        return current_.field_in_memory(last_field());
    }
    /// Adds an observer. It must outlive the simulation.
    void observe(CommandObserver& observer) { observers_.add(observer); }

private:
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    void serve();
    void serve_next();
    void execute(const Submissions::Pending& pending);
    void await_counters();
    void prepare();
    void drop_what_is_free();
    void run_operation();
    void run_job();
    void finish_iterations(std::uint32_t reached);
    void signal(std::uint32_t reached);

    CommandQueueConfig config_;
    const Declaration& declaration_;
    Executor& executor_;
    FlowEngine& engine_;
    SyncCounters& sync_;
    FlowResource* units_ = nullptr; // Null: the queue has its own units.
    CommandObservers observers_;
    RegisterFile register_file_;
    Submissions submissions_;
    FetchedDescriptor current_;

    Operation operation_;
    std::uint32_t committed_ = 0; // Number of iterations whose results have been written.
    Picoseconds busy_ps_ = 0;
    Picoseconds waiting_ps_ = 0;
};

} // namespace levee
