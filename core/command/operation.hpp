// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "core/command/command_observer.hpp"
#include "core/flow/flow_engine.hpp"
#include "core/flow/streams.hpp"

#include <systemc>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

/// Selects which activities of a block take time.
struct Timing {
    bool fetch = true;   ///< fetching descriptors takes time
    bool latency = true; ///< an operation's first result takes the latency
    bool work = true;    ///< The operation's own cycles, and its output to a stream port.
    bool streams = true; ///< through memory
};

/// One descriptor in execution. An executor fills it; the queue runs it.
struct Operation {
    Job job;              ///< The operation's streams and its own pace.
    Picoseconds lead = 0; ///< latency before the first result: paid once, before the streams
    std::uint32_t iterations = 1; ///< iterations of the loop that signal_every counts
    /// Writes the results of iterations [first, last) to memory.
    std::function<void(std::uint32_t first, std::uint32_t last)> commit;

    StreamPort* produces =
        nullptr; ///< destination of its output, instead of or in addition to memory
    std::uint32_t produces_field = 0;  ///< the descriptor field that names the port
    std::vector<CountedEvent> work;    ///< events for the energy ledger
    std::vector<float> stream;         ///< the output: FP32 elements in loop order
    std::uint64_t stream_elements = 0; ///< timing-only: number of elements; `stream` is empty
    /// Output of a producer that sends stored bytes (such as packed weights) instead, and their
    /// number; timing-only: only the number.
    std::vector<std::uint8_t> stored_stream;
    std::uint64_t stored_bytes = 0;

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
    /// Resets the operation, but its buffers keep their memory.
    void reset();
};

inline void Operation::reset()
{
    job.activity.uses.clear();
    job.activity.remaining = 1.0; // Activity; its progress is 0 until it starts.
    job.activity.speed = 0.0;
    job.activity.minimum = 0;
    job.activity.loads = false;
    job.parts = 1;
    job.milestone_every = {0, 0};
    lead = 0;
    iterations = 1;
    commit = nullptr;
    produces = nullptr;
    produces_field = 0;
    work.clear();
    stream.clear();
    stream_elements = 0;
    stored_stream.clear();
    stored_bytes = 0;
    chain = Chain::Open;
}

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

} // namespace levee
