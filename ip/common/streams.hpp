// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"

#include <systemc>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace levee {

struct Operation;

struct StreamPortConfig {
    std::string name;
    std::uint64_t bytes_per_second = 0; ///< the rate of its wires
    Picoseconds fill = 0;               ///< until the first element has passed its FIFO
};

/// A named port between two blocks that run at the same time. The producer's operation is offered,
/// the consumer's accepts it, and the two advance as one activity at the pace of the slower:
/// back-pressure and starvation are the same thing seen from either end.
class StreamPort : public FlowResource {
public:
    explicit StreamPort(StreamPortConfig config)
        : FlowResource({FlowAccount::Kind::Stream, config.name}), config_(std::move(config))
    {
    }

    /// Producer: leaves `operation`, whose stream data are complete, for the consumer. False while
    /// the port still holds another.
    [[nodiscard]] bool offer(Operation& operation);
    /// Consumer: takes the operation offered, null if there is none.
    [[nodiscard]] Operation* accept();
    /// Producer: takes back what it offered; false if it has been accepted.
    [[nodiscard]] bool withdraw(const Operation& operation);
    /// Notified after each of these that succeeded.
    [[nodiscard]] sc_core::sc_event& changed() { return changed_; }

    [[nodiscard]] const StreamPortConfig& config() const { return config_; }

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
               std::span<double> ps_per_byte) override;

private:
    StreamPortConfig config_;
    Operation* offered_ = nullptr;
    sc_core::sc_event changed_;
};

/// The stream ports of a system, by number.
class StreamPorts {
public:
    explicit StreamPorts(const std::vector<StreamPortConfig>& configs);
    /// The port that a tensor address names, or null if there is none.
    [[nodiscard]] StreamPort* find(std::uint64_t tensor_address);
    [[nodiscard]] static bool is_stream(std::uint64_t tensor_address);

private:
    std::deque<StreamPort> ports_;
};

} // namespace levee
