// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/element_serial/serial_operation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::element_serial {

/// The streams of an operation through memory and ports, and the operands that all its vectors
/// share.
class VectorTraffic {
public:
    VectorTraffic(CommandQueue& queue, const SerialOperation& operation)
        : queue_(queue), serial_(operation)
    {
    }

    /// Opens all streams. Throws CommandFault.
    void open(Operation& operation, const SerialCost& cost);
    /// Returns the elements of x that come from a port; empty in timing-only runs.
    [[nodiscard]] std::span<const float> arrived() const { return arrived_; }
    // Operands that all vectors share; empty in timing-only runs.
    [[nodiscard]] const std::vector<float>& gain() const { return gain_; }
    [[nodiscard]] const std::vector<float>& bias() const { return bias_; }

private:
    void open_rows(Operation& operation, Direction direction, std::uint64_t address,
                   const std::int32_t (&stride)[3], std::uint64_t run_bytes, std::uint64_t bytes,
                   std::uint32_t field);
    void open_input(Operation& operation, const SerialCost& cost);
    void open_shared(Operation& operation, std::uint64_t address, std::vector<float>& into,
                     std::uint32_t field);
    void open_outputs(Operation& operation);

    CommandQueue& queue_;
    const SerialOperation& serial_;
    std::span<const float> arrived_;
    std::vector<float> gain_, bias_;
};

} // namespace levee::element_serial
