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

/// Reason why a descriptor cannot be executed. Executors throw it; the error registers record it.
struct CommandFault {
    levee_command_error code;
    std::uint32_t field; ///< Byte offset in the descriptor; executors use operation_field().
};

/// Converts the offset of a member of the operation to an offset in a descriptor that contains the
/// whole operation.
constexpr std::uint32_t operation_field(std::size_t member)
{
    return static_cast<std::uint32_t>(offsetof(levee_descriptor, operation) + member);
}

/// Unless `good`, throws CommandFault for the operation's member at offset `member`.
inline void need_field(bool good, levee_command_error code, std::size_t member)
{
    if (!good)
        throw CommandFault{code, operation_field(member)};
}

/// Selects which activities of a block take time.
struct Timing {
    bool fetch = true;   ///< Fetching descriptors takes time.
    bool latency = true; ///< An operation's first result takes the latency.
    bool work = true;    ///< Own cycles and output to a stream port take time.
    bool streams = true; ///< Transfers through memory take time.
};

/// A descriptor's operation. An executor fills it; the queue runs it.
struct Operation {
    Job job;              ///< The operation's streams and its own pace.
    Picoseconds lead = 0; ///< Latency before the first result; paid once, before the streams.
    std::uint32_t iterations = 1; ///< Iterations of the loop that signal_every counts.
    /// Writes the results of iterations [first, last) to memory.
    std::function<void(std::uint32_t first, std::uint32_t last)> commit;

    StreamPort* produces =
        nullptr; ///< Destination of its output, instead of or in addition to memory.
    std::uint32_t produces_field = 0;  ///< The descriptor field that names the port.
    std::vector<CountedEvent> work;    ///< Energy events of the operation.
    std::vector<float> stream;         ///< Output: FP32 elements in loop order.
    std::uint64_t stream_elements = 0; ///< Timing-only: number of elements; `stream` is empty.
    /// Output of a producer that sends stored bytes (such as packed weights) instead of elements,
    /// and the number of these bytes. Timing-only: only the number.
    std::vector<std::uint8_t> stored_stream;
    std::uint64_t stored_bytes = 0;

    /// Producer: state of its chain.
    enum class Chain { Open, Done, Broken } chain = Chain::Open;
    sc_core::sc_event chain_ended;

    /// Number of elements in the output to `produces`.
    [[nodiscard]] std::uint64_t streamed() const
    {
        return stream.empty() ? stream_elements : stream.size();
    }
    /// Number of bytes in the output to `produces`.
    [[nodiscard]] std::uint64_t streamed_bytes() const
    {
        return stored_bytes != 0 ? stored_bytes : streamed() * sizeof(float);
    }
    /// Resets the operation. Buffers keep their capacity.
    void reset();
};

inline void Operation::reset()
{
    job.activity.uses.clear();
    job.activity.remaining = 1.0;
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

/// Part of a command queue that is specific to a block. It checks a descriptor, reads its inputs
/// and computes its outputs.
class Executor {
public:
    virtual ~Executor() = default;
    /// Fills `operation`, which has been reset. Runs in the queue's process and may wait for a
    /// producer. Throws CommandFault before it has any effect.
    virtual void prepare(const levee_descriptor& descriptor, Operation& operation) = 0;
    /// Number of the operand that the streams of this descriptor field read: 0 or 1 as in
    /// LEVEE_DESC_LAST_READ_*. Empty: neither.
    [[nodiscard]] virtual std::optional<unsigned> operand_of(std::uint32_t /*field*/) const
    {
        return std::nullopt;
    }
};

} // namespace levee
