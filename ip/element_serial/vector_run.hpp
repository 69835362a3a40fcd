// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/element_serial/core.hpp"
#include "ip/element_serial/regs.h"
#include "ip/element_serial/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::element_serial {

/// One operation of the unit in execution: its vectors, their traffic and their write-back. A
/// timing-only run has no numbers, only the accesses that memories track.
class VectorRun {
public:
    struct Cost {
        std::uint64_t cycles = 0;  ///< of the vectors' elements
        std::uint64_t latency = 0; ///< cycles before and after them
        std::uint64_t vectors = 0;
        std::uint64_t elements = 0; ///< valid ones
        std::uint64_t tiles = 0;
    };

    VectorRun(CommandQueue& queue, std::uint32_t tile, Core& core)
        : queue_(queue), tile_(tile), core_(core)
    {
    }

    /// Fills all of `operation` except its own pace and its work. The opcode is valid. Throws
    /// CommandFault.
    Cost prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] const levee_es_operation& operation() const { return op_; }
    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

private:
    void read_lengths();
    [[nodiscard]] Cost count() const;
    void count_group(Cost& cost, std::uint64_t first, std::uint64_t groups) const;
    void open(Operation& operation, const Cost& cost);
    void open_rows(Operation& operation, Direction direction, std::uint64_t address,
                   const std::int32_t (&stride)[3], std::uint64_t run_bytes, std::uint64_t bytes,
                   std::uint32_t field);
    void open_input(Operation& operation, const Cost& cost);
    void open_outputs(Operation& operation);
    void open_shared(Operation& operation, std::uint64_t address, std::vector<float>& into,
                     std::uint32_t field);

    void run_vectors();
    void run_reduce(std::size_t group, std::uint32_t row);
    void run_normalise(std::size_t group, std::uint32_t row);
    [[nodiscard]] std::span<const float> read_x(std::size_t group, std::uint32_t row);
    void read_halves(std::uint64_t address, const std::int32_t (&stride)[3], std::size_t group,
                     std::uint32_t row, std::vector<std::uint16_t>& into, std::uint32_t field);
    void write_groups(std::uint32_t first, std::uint32_t last);
    void fill_stream(Operation& operation) const;

    [[nodiscard]] bool is_reduce() const { return opcode_ == LEVEE_ES_REDUCE; }
    [[nodiscard]] bool is_causal() const { return (op_.flags & LEVEE_ES_CAUSAL) != 0; }
    [[nodiscard]] bool produces() const;
    [[nodiscard]] Function function() const { return static_cast<Function>(op_.function); }
    [[nodiscard]] std::size_t group_count() const
    {
        return std::size_t{op_.outer[0]} * op_.outer[1];
    }
    /// Valid elements of a group's last row.
    [[nodiscard]] std::uint32_t length(std::size_t group) const;
    [[nodiscard]] std::uint32_t row_length(std::size_t group, std::uint32_t row) const;
    [[nodiscard]] std::uint32_t longest() const;
    [[nodiscard]] std::size_t vector_of(std::size_t group, std::uint32_t row) const
    {
        return group * op_.rows + row;
    }
    [[nodiscard]] AccessPattern rows_at(std::uint64_t address, const std::int32_t (&stride)[3],
                                        std::size_t group, std::uint64_t run_bytes) const;
    [[nodiscard]] View row_at(std::uint64_t address, const std::int32_t (&stride)[3],
                              std::size_t group, std::uint32_t row, std::uint64_t run_bytes,
                              std::uint32_t field) const;

    CommandQueue& queue_;
    std::uint32_t tile_;
    Core& core_;

    // The running operation.
    std::uint8_t opcode_ = 0;
    levee_es_operation op_{};
    std::vector<std::uint32_t> lengths_; // one for each (o0, o1 / group); none: n for all
    std::uint32_t length_words_ = 0;     // of an o0
    std::span<const float> stream_;      // x from a port
    std::vector<float> x_, gain_, bias_;
    std::vector<std::uint16_t> halves_, y_;
    std::vector<std::uint16_t> out_;     // rows of n, vector by vector
    std::vector<Statistics> statistics_; // one a vector
    Overflows overflows_;                ///< of all operations
};

} // namespace levee::element_serial
