// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/operation.hpp"
#include "core/command/submissions.hpp"
#include "core/flow/streams.hpp"

#include <cstdint>

namespace levee {

/// Connects an operation through stream ports to other blocks' operations: the producer of its
/// input and the consumer of its output. Connected operations advance as one activity, which the
/// last consumer runs.
class StreamChain {
public:
    StreamChain(StreamPorts& ports, const Timing& timing, Submissions& submissions)
        : ports_(ports), timing_(timing), submissions_(submissions)
    {
    }

    [[nodiscard]] StreamPorts& streams() { return ports_; }
    /// Makes `operation` a producer for the port that `address` names. If there is no such port,
    /// throws CommandFault(LEVEE_ERROR_STREAM) for the descriptor field.
    void produce(Operation& operation, std::uint64_t address, std::uint32_t field);
    /// Returns the operation that a producer offers at `port`. Waits until one is offered.
    [[nodiscard]] Operation& accept(StreamPort& port);

protected:
    void begin_chain() { upstream_ = nullptr; }
    /// Adds the time of the operation's producer, if it has one, to `operation`.
    void join_upstream(Operation& operation) const;
    /// Offers `operation` and waits until the chain has ended.
    void run_as_producer(Operation& operation);
    /// Tells the operation's producer, if there is one, how the chain has ended.
    void end_chain(Operation::Chain how);

private:
    StreamPorts& ports_;
    Timing timing_;
    Submissions& submissions_;
    Operation* upstream_ = nullptr; // Producer of the operation's input.
};

} // namespace levee
