// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "core/command/command_observer.hpp"
#include "core/command/decisions.hpp"
#include "core/command/declaration.hpp"
#include "core/command/register_file.hpp"
#include "core/command/sync_counters.hpp"
#include "core/flow/bulk.hpp"
#include "core/flow/flow_engine.hpp"
#include "core/flow/sockets.hpp"
#include "core/flow/streams.hpp"
#include "core/memory/row_list.hpp"
#include "core/units/data_mode.hpp"
#include "core/units/stats.hpp"

#include <systemc>
#include <tlm>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace levee {

/// Reason why a descriptor cannot be executed; thrown by executors, recorded in the error
/// registers.
struct CommandFault {
    levee_command_error code;
    std::uint32_t field; ///< byte offset in the descriptor; executors': operation_field()
};

/// Offset of a member of a component's operation in a descriptor that contains all of it.
constexpr std::uint32_t operation_field(std::size_t member)
{
    return static_cast<std::uint32_t>(offsetof(levee_descriptor, operation) + member);
}

/// Throws CommandFault for that member unless `good`.
inline void need_field(bool good, levee_command_error code, std::size_t member)
{
    if (!good)
        throw CommandFault{code, operation_field(member)};
}

/// One descriptor in execution. An executor fills it; the queue runs it.
struct Operation {
    Job job;              ///< its streams and its own pace
    Picoseconds lead = 0; ///< latency before the first result: paid once, before the streams
    std::uint32_t iterations = 1; ///< of the loop that signal_every counts
    /// Writes the results of iterations [first, last) to memory.
    std::function<void(std::uint32_t first, std::uint32_t last)> commit;

    StreamPort* produces =
        nullptr; ///< destination of its output, instead of or in addition to memory
    std::uint32_t produces_field = 0;  ///< the descriptor field that names the port
    std::vector<CountedEvent> work;    ///< events for the energy ledger
    std::vector<float> stream;         ///< the output: FP32 elements in loop order
    std::uint64_t stream_elements = 0; ///< timing-only: number of elements; `stream` is empty
    /// The output of a producer that sends stored bytes instead, such as packed weights, and their
    /// number; timing-only: only the number.
    std::vector<std::uint8_t> stored_stream;
    std::uint64_t stored_bytes = 0;
    Operation* upstream = nullptr; ///< the producer it consumes from, if any

    /// Producer: result of its chain.
    enum class Chain { Open, Done, Broken } chain = Chain::Open;
    sc_core::sc_event chain_ended;

    /// Number of elements of the output to `produces`.
    [[nodiscard]] std::uint64_t streamed() const
    {
        return stream.empty() ? stream_elements : stream.size();
    }
    /// Bytes of the output to `produces`.
    [[nodiscard]] std::uint64_t streamed_bytes() const
    {
        return stored_bytes != 0 ? stored_bytes : streamed() * sizeof(float);
    }
    void reset();
    void end_chain(Chain how);
};

/// The part of a command queue that is specific to a block: checks a descriptor, reads its inputs
/// and computes its outputs.
class Executor {
public:
    virtual ~Executor() = default;
    /// Fills `operation` (freshly reset). Runs in the queue's thread and may wait for a producer.
    /// Throws CommandFault before it has any effect.
    virtual void prepare(const levee_descriptor& descriptor, Operation& operation) = 0;
    /// Operand, 0 or 1, as numbered by LEVEE_DESC_LAST_READ_*, that the streams of this descriptor
    /// field read.
    [[nodiscard]] virtual std::optional<unsigned> operand_of(std::uint32_t /*field*/) const
    {
        return std::nullopt;
    }
};

/// Environment that every accelerator block requires.
struct Fabric {
    FlowEngine& engine;
    SyncCounters& sync;
    StreamPorts& streams;
    DataMode data = DataMode::Functional;
    Decisions decisions{};
};

/// Selects which activities of a block take time.
struct Timing {
    bool fetch = true;   ///< of its descriptors
    bool latency = true; ///< of an operation's first result
    bool work = true;    ///< its own cycles, and its output to a stream port
    bool streams = true; ///< through memory
};

struct CommandQueueConfig {
    std::uint32_t depth = 0; ///< descriptors that wait behind the one in execution
    Picoseconds fetch = 0;   ///< to fetch and decode one descriptor; hidden behind the one before
    Picoseconds register_latency = 0; ///< of an access to a register
    Timing timing{};
};

/// Command front end of every accelerator block: its registers, its queue of descriptors, their
/// waits and signals, its errors and interrupt. Costs a fixed number of kernel events per
/// descriptor.
class CommandQueue : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(CommandQueue);

    TargetSocket registers;
    InitiatorSocket memory; ///< descriptors and operands
    /// Level of the interrupt output, called when it changes.
    std::function<void(bool)> on_interrupt;
    /// Called in the queue's process when an operation's activity has ended, before its last
    /// results are written. It may wait: what else has to end first.
    std::function<void()> before_end;

    CommandQueue(const sc_core::sc_module_name& name, const CommandQueueConfig& config,
                 const Declaration& declaration, Executor& executor, Fabric fabric);

    /// Declaration of the queue's component; must outlive the queue.
    [[nodiscard]] const Declaration& declaration() const { return declaration_; }
    [[nodiscard]] StreamPorts& streams() { return fabric_.streams; }
    /// Shares execution units: from now on, operations' own time passes on `units`, which other
    /// queues use too, at full speed alone and in fair shares together. `units` offers 1 ps per
    /// byte and must outlive the simulation.
    void share_units(FlowResource& units) { units_ = &units; }

    [[nodiscard]] RegisterFile& register_file() { return register_file_; }
    [[nodiscard]] const RegisterFile& register_file() const { return register_file_; }

    // Interface for executors. `field` is the descriptor field at fault if an access leaves memory;
    // the functions then throw CommandFault(LEVEE_ERROR_ADDRESS).

    /// Adds a stream to `operation`; `bytes` (not 0) is its total, more than the pattern's if data
    /// are read again. A write whose runs must overlap, since their bytes exceed their extent, is
    /// LEVEE_ERROR_FIELD.
    void add_stream(Operation& operation, Direction direction, const AccessPattern& pattern,
                    std::uint64_t bytes, std::uint32_t field);
    /// The same for rows placed by a table, if there are any; for a write, checks each row.
    void add_rows(Operation& operation, Direction direction, const RowList& rows,
                  std::uint64_t bytes, std::uint32_t field);
    /// The same for timing-only runs, where individual rows are not needed.
    void add_spread(Operation& operation, Direction direction, const RowSpread& rows,
                    std::uint64_t bytes, std::uint32_t field);
    /// Marks part of a scattered stream that is not from add_rows: discarded at the end of the
    /// operation if that is the last to read it.
    void note_read(const AccessPattern& pattern, std::uint32_t field);
    void read(const AccessPattern& pattern, void* packed, std::uint32_t field);
    [[nodiscard]] std::uint32_t read_word(std::uint64_t address, std::uint32_t field);
    /// Checks a write that add_stream has not checked.
    void check_write(const AccessPattern& pattern, std::uint32_t field);
    /// Makes `operation` a producer for the port that `address` names; throws
    /// CommandFault(LEVEE_ERROR_STREAM) if there is no such port.
    void produce(Operation& operation, std::uint64_t address, std::uint32_t field);
    /// The operation that a producer offers at `port`; waits until there is one.
    [[nodiscard]] Operation& accept(StreamPort& port);
    /// Writes data in commits; add_stream has already checked the access.
    void write(const AccessPattern& pattern, const void* packed);
    /// Discards bytes in one memory: they will not be read before they are written again.
    void discard(const AccessPattern& pattern);

    // Timing-only runs (core/units/data_mode.hpp): `read` and `write` are for payload; there
    // `packed` must be null, and only memories that track their rows receive the access.
    // read_control and write_control transfer words that state positions and counts, in both kinds
    // of run.
    [[nodiscard]] bool timing_only() const { return fabric_.data == DataMode::TimingOnly; }
    [[nodiscard]] const Decisions& decisions() const { return fabric_.decisions; }
    /// Whether the memory at `address` tracks accesses; if not, timing-only runs may omit
    /// individual accesses.
    [[nodiscard]] bool tracks(std::uint64_t address);
    /// The same of reads, or of writes, alone.
    [[nodiscard]] bool tracks(Direction direction, std::uint64_t address);
    void read_control(const AccessPattern& pattern, void* packed, std::uint32_t field);
    void write_control(const AccessPattern& pattern, const void* packed);
    /// The same for individual rows; `packed` is that of the list's first row.
    void read_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field);
    void write_rows(const RowList& rows, std::size_t first, std::size_t last,
                    const std::uint8_t* packed);
    void read_control_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field);
    void write_control_rows(const RowList& rows, std::size_t first, std::size_t last,
                            const std::uint8_t* packed);
    /// Performs and records this operation's decision. For commits.
    void decide(Decision decision);
    /// The recorded decision of this operation, where its time follows from it. Throws
    /// std::runtime_error if there is none, or if the recorded operation is a different one.
    [[nodiscard]] const Decision& recorded() const;
    /// Replays the recorded decision of iterations [first, last) of this operation. For commits.
    /// Throws std::runtime_error if the recorded operation is a different one.
    void replay(std::uint32_t first, std::uint32_t last);

    void report(Stats& stats) const;

    /// All bytes of the operation in execution, including those of a continuation.
    [[nodiscard]] std::span<const std::uint8_t> operation() const
    {
        return whole_.empty() ? std::span<const std::uint8_t>(descriptor_.operation) : whole_;
    }

    /// Host address of these bytes as the queue would fetch them, if it has come to read their
    /// memory past the bus; else null. For observers.
    [[nodiscard]] const std::uint8_t* peek(std::uint64_t address, std::uint64_t bytes) const;

    /// A descriptor that waits behind the one in execution.
    struct Queued {
        std::uint64_t id;      ///< as observers know it
        std::uint64_t address; ///< at which it will be fetched
    };
    /// The next to be executed first.
    [[nodiscard]] std::vector<Queued> queued() const;

    /// Field of the descriptor whose tensor is being accessed, for observers of the bus.
    [[nodiscard]] std::uint32_t accessed_field() const { return field_in_memory(accessed_field_); }
    /// Adds an observer, which must outlive the simulation.
    void observe(CommandObserver& observer) { observers_.push_back(&observer); }

private:
    struct Pending {
        std::uint64_t id; // counts submissions
        std::uint64_t address;
        Picoseconds fetched_at;
    };
    /// Thrown from a wait that a reset has ended.
    struct Dropped {};

    void describe_registers();
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);
    void submit(std::uint32_t count);
    void control(std::uint32_t value);
    void stop(const CommandFault& fault, std::uint32_t index, std::uint32_t tag);
    void update_interrupt();
    [[nodiscard]] std::uint32_t status() const;
    void notify(auto&& event)
    {
        for (CommandObserver* observer : observers_)
            event(*observer);
    }

    void check_payload(const void* packed) const;
    [[nodiscard]] bool notes(std::uint32_t field) const;
    const BulkExtension::Region& region_of(std::uint64_t address);
    [[nodiscard]] const BulkExtension::Region* known_region(std::uint64_t address) const;
    /// Timing-only: host bytes of the memory that contains all of a pattern, and the pattern
    /// relative to them, if its words may be accessed directly.
    struct Direct {
        std::uint8_t* data;
        AccessPattern pattern;
    };
    [[nodiscard]] const BulkExtension::Region* direct_region(Direction direction,
                                                             const RowList& rows);
    [[nodiscard]] bool is_unaccounted(const AccessPattern& pattern);
    [[nodiscard]] bool account(Direction direction, const AccessPattern& pattern);
    [[nodiscard]] std::optional<Direct> find_direct(Direction direction,
                                                    const AccessPattern& pattern);
    void move_in(const AccessPattern& pattern, void* packed, std::uint32_t field);
    void move_out(const AccessPattern& pattern, const void* packed);
    void carry_out(const Decision::Write& write);
    [[nodiscard]] std::uint64_t hash_of_operation() const;

    void serve();
    void serve_next();
    void wait_unless_reset(sc_core::sc_event& event);
    void execute(const Pending& pending);
    void fetch(const Pending& pending);
    void fetch_bytes(const AccessPattern& pattern, std::uint8_t* packed, CommandFault otherwise);
    void fetch_continuation();
    void check_head() const;
    void prepare();
    [[nodiscard]] std::uint32_t field_in_memory(std::uint32_t field) const;
    [[nodiscard]] std::span<std::uint8_t> field_of_operation(std::size_t offset, std::size_t bytes);
    void await_counters();
    void apply_indirect();
    void drop_what_is_free();
    void run_operation();
    void run_job();
    void join_upstream();
    void run_as_producer();
    void finish_iterations(std::uint32_t reached);
    void discard_last_read();
    void signal(std::uint32_t reached);

    CommandQueueConfig config_;
    const Declaration& declaration_;
    Executor& executor_;
    Fabric fabric_;
    BulkPort port_;
    FlowResource* units_ = nullptr; // null: units of its own
    RegisterFile register_file_;

    std::vector<CommandObserver*> observers_;
    std::uint64_t submissions_ = 0;
    std::deque<Pending> pending_;
    std::uint32_t epoch_ = 0;         // counts resets
    std::uint32_t running_epoch_ = 0; // at the start of the operation in execution
    Picoseconds fetcher_free_at_ = 0;
    sc_core::sc_event submitted_;
    sc_core::sc_event* awaited_ = nullptr; // by the operation in execution

    levee_descriptor descriptor_{};
    /// Version 2: the assembled operation, which begins in descriptor_; otherwise empty.
    std::vector<std::uint8_t> whole_;
    Operation operation_;
    std::vector<AccessPattern> last_read_; // discarded at the operation's end
    std::uint32_t committed_ = 0;          // iterations
    std::uint32_t accessed_field_ = 0;
    std::vector<BulkExtension::Region> regions_; // cache of regions requested so far
    bool busy_ = false;

    std::uint64_t submit_address_ = 0;
    std::uint32_t taken_ = 0;
    std::uint32_t done_ = 0;
    std::uint32_t irq_status_ = 0;
    std::uint32_t irq_enable_ = 0;
    bool interrupt_ = false;
    CommandFault error_{LEVEE_ERROR_NONE, 0};
    std::uint32_t error_index_ = 0;
    std::uint32_t error_tag_ = 0;

    std::uint64_t operations_ = 0;
    Picoseconds busy_ps_ = 0;
    Picoseconds waiting_ps_ = 0;
};

} // namespace levee
