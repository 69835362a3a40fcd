// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/rsa/gemm_cost.hpp"
#include "ip/rsa/ring.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace levee::rsa {

/// The streams of an operation's operands and results: through memory, the rings and stream ports.
class GemmStreams {
public:
    GemmStreams(CommandQueue& queue, const GemmOperation& gemm, const ProductList& products,
                const StoredRows& stored)
        : queue_(queue), gemm_(gemm), products_(products), stored_(stored)
    {
    }

    /// Opens all streams. Throws CommandFault.
    void open(Operation& operation, const GemmTraffic& traffic);
    /// Functional runs: returns the bytes of B that arrived from a port.
    [[nodiscard]] std::span<const std::uint8_t> arrived() const { return arrived_; }
    /// Returns the ring with the registers LEVEE_RSA_RING_*(number).
    [[nodiscard]] Ring& ring(unsigned number) { return rings_[number]; }

private:
    void open_operand(Operation& operation, Direction direction, const OperandLoops& operand,
                      std::uint64_t bytes);
    void open_shared(Operation& operation, Direction direction, const OperandLoops& operand,
                     std::uint64_t bytes);
    void add_all(Operation& operation, Direction direction, std::span<const AccessPattern> patterns,
                 std::uint64_t bytes, std::uint32_t field,
                 std::span<const std::uint64_t> parts = {});
    void open_stationary(Operation& operation, const ProductGroup& longest,
                         const GemmTraffic& traffic);
    void accept_stationary(const GemmTraffic& traffic);
    void open_output(Operation& operation, const ProductGroup& longest, std::uint64_t bytes);

    CommandQueue& queue_;
    const GemmOperation& gemm_;
    const ProductList& products_;
    const StoredRows& stored_;
    std::array<Ring, 2> rings_;
    std::span<const std::uint8_t> arrived_;
};

} // namespace levee::rsa
