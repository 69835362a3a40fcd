// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <systemc>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace levee {

struct Operation;

struct StreamPortConfig {
    std::string name;
    std::uint64_t bytes_per_second = 0; ///< Rate of the port's wires.
    Picoseconds fill = 0;               ///< Time until the first element has passed the FIFO.
};

/// A named port between two blocks that run concurrently. The producer offers its operation and the
/// consumer accepts it. Both then advance as one activity at the pace of the slower one, which
/// models back-pressure and starvation.
class StreamPort : public FlowResource {
public:
    explicit StreamPort(StreamPortConfig config)
        : FlowResource({FlowAccount::Kind::Stream, config.name}), config_(std::move(config))
    {
    }

    /// Producer: offers `operation`, whose stream data are complete. Returns false while the port
    /// still has another offer.
    [[nodiscard]] bool offer(Operation& operation);
    /// Consumer: accepts the offered operation; null if there is none.
    [[nodiscard]] Operation* accept();
    /// Producer: withdraws its offer. Returns false if it has been accepted.
    [[nodiscard]] bool withdraw(const Operation& operation);
    /// Notified after each successful call of the functions above.
    [[nodiscard]] sc_core::sc_event& changed() { return changed_; }

    [[nodiscard]] const StreamPortConfig& config() const { return config_; }

    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;

private:
    StreamPortConfig config_;
    Operation* offered_ = nullptr;
    sc_core::sc_event changed_;
};

class StreamPorts {
public:
    explicit StreamPorts(const std::vector<StreamPortConfig>& configs);
    /// Returns the port with this tensor address; null if there is no such port.
    [[nodiscard]] StreamPort* find(std::uint64_t tensor_address);
    [[nodiscard]] static bool is_stream(std::uint64_t tensor_address);

private:
    std::deque<StreamPort> ports_;
};

} // namespace levee
