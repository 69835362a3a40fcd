// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/operation.hpp"
#include "core/command/submissions.hpp"
#include "core/flow/streams.hpp"

#include <cstdint>

namespace levee {

/// Links of an operation to other blocks' operations through stream ports: the operation that
/// produces its input and the one that consumes its output. Chained operations advance as one
/// activity, which the last consumer runs.
class StreamChain {
public:
    StreamChain(StreamPorts& ports, const Timing& timing, Submissions& submissions)
        : ports_(ports), timing_(timing), submissions_(submissions)
    {
    }

    [[nodiscard]] StreamPorts& streams() { return ports_; }
    /// Makes `operation` a producer for the port that `address` names; throws
    /// CommandFault(LEVEE_ERROR_STREAM) for the descriptor field if there is no such port.
    void produce(Operation& operation, std::uint64_t address, std::uint32_t field);
    /// The operation that a producer offers at `port`; waits until there is one.
    [[nodiscard]] Operation& accept(StreamPort& port);

protected:
    void begin_chain() { upstream_ = nullptr; }
    /// Adds to `operation` the time of the one that it consumes from, if any.
    void join_upstream(Operation& operation) const;
    /// Offers `operation` and waits until the chain has ended.
    void run_as_producer(Operation& operation);
    /// Ends the chain with the producer, if there is one.
    void end_chain(Operation::Chain how);

private:
    StreamPorts& ports_;
    Timing timing_;
    Submissions& submissions_;
    Operation* upstream_ = nullptr; // the producer that the operation consumes from
};

} // namespace levee
