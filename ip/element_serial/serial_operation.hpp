// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/element_serial/model.hpp"
#include "ip/element_serial/regs.h"
#include "ip/element_serial/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::element_serial {

/// Cost of an operation by the timing rule.
struct SerialCost {
    std::uint64_t cycles = 0;  ///< Cycles of the vectors' elements.
    std::uint64_t latency = 0; ///< Cycles before the first and after the last element.
    std::uint64_t vectors = 0;
    std::uint64_t elements = 0; ///< Number of valid elements.
    std::uint64_t tiles = 0;
};

class SerialOperation {
public:
    /// Range of a vector's valid elements within its row.
    struct Seen {
        std::uint32_t first, count;
    };

    /// `opcode` must be valid. Throws CommandFault.
    void read(CommandQueue& queue, std::uint8_t opcode);

    [[nodiscard]] const levee_es_operation& op() const { return op_; }
    [[nodiscard]] bool is_reduce() const { return opcode_ == LEVEE_ES_REDUCE; }
    [[nodiscard]] Function function() const { return static_cast<Function>(op_.function); }
    /// Whether results go to a stream port.
    [[nodiscard]] bool produces() const;
    [[nodiscard]] std::size_t groups() const { return std::size_t{op_.outer[0]} * op_.outer[1]; }
    [[nodiscard]] std::size_t vectors() const { return groups() * op_.rows; }
    [[nodiscard]] std::size_t vector_of(std::size_t group, std::uint32_t row) const
    {
        return group * op_.rows + row;
    }

    /// Returns the number of valid elements in a group's last row.
    [[nodiscard]] std::uint32_t length(std::size_t group) const;
    [[nodiscard]] std::uint32_t longest() const;
    [[nodiscard]] Seen seen(std::size_t group, std::uint32_t row) const;
    /// Cost on a unit whose FIFO has `tile` elements.
    [[nodiscard]] SerialCost cost(std::uint32_t tile) const;

    /// Returns the addresses of a group's rows in a tensor.
    [[nodiscard]] AccessPattern rows_at(std::uint64_t address, const std::int32_t (&stride)[3],
                                        std::size_t group, std::uint64_t run_bytes) const;

private:
    void read_lengths(CommandQueue& queue);
    void count_group(SerialCost& cost, std::uint32_t tile, std::uint64_t first,
                     std::uint64_t groups) const;
    [[nodiscard]] Pace pace(std::uint32_t tile) const;
    [[nodiscard]] bool is_causal() const { return (op_.flags & LEVEE_ES_CAUSAL) != 0; }

    std::uint8_t opcode_ = 0;
    levee_es_operation op_{};
    std::vector<std::uint32_t> lengths_; // One for each (o0, o1 / group); empty: n for all.
    std::uint32_t length_words_ = 0;     // Words of one o0.
};

} // namespace levee::element_serial
