// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/element_serial/core.hpp"
#include "ip/element_serial/serial_operation.hpp"
#include "ip/element_serial/vector_traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::element_serial {

/// Executes one operation: its vectors one by one, and the writing of results. A timing-only run
/// computes nothing, and accesses only memories that track accesses.
class VectorRun {
public:
    VectorRun(CommandQueue& queue, std::uint32_t tile, Core& core)
        : queue_(queue), tile_(tile), core_(core), traffic_(queue, serial_)
    {
    }

    /// Fills all of `operation` except its own pace and work. The opcode must be valid. Throws
    /// CommandFault.
    SerialCost prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] const levee_es_operation& operation() const { return serial_.op(); }
    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

private:
    void run_vectors();
    void run_reduce(std::size_t group, std::uint32_t row);
    void run_normalise(std::size_t group, std::uint32_t row);
    [[nodiscard]] std::span<const float> read_x(std::size_t group, std::uint32_t row);
    void read_halves(std::uint64_t address, const std::int32_t (&stride)[3], std::size_t group,
                     std::uint32_t row, std::vector<std::uint16_t>& into, std::uint32_t field);
    [[nodiscard]] View row_at(std::uint64_t address, const std::int32_t (&stride)[3],
                              std::size_t group, std::uint32_t row, std::uint64_t run_bytes,
                              std::uint32_t field) const;
    void write_groups(std::uint32_t first, std::uint32_t last);
    void fill_stream(Operation& operation) const;

    CommandQueue& queue_;
    std::uint32_t tile_;
    Core& core_;

    // State of the current operation.
    SerialOperation serial_;
    VectorTraffic traffic_;
    std::vector<float> x_;
    std::vector<std::uint16_t> halves_, y_;
    std::vector<std::uint16_t> out_;     // Rows of n, vector by vector.
    std::vector<Statistics> statistics_; // One per vector.
    Overflows overflows_;                ///< Overflows of all operations so far.
};

} // namespace levee::element_serial
