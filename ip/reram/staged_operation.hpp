// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/reram/crossbars.hpp"
#include "ip/reram/inside.hpp"
#include "ip/reram/regs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::reram {

/// A checked operation: its descriptor, table of stages and lengths, and the crossbars and lines
/// that it uses.
class StagedOperation {
public:
    using Op = levee_reram_operation;
    using Stage = levee_reram_stage;

    /// `units` is the component's number of units.
    StagedOperation(const Crossbars& crossbars, std::uint32_t units)
        : crossbars_(&crossbars), units_(units)
    {
    }

    /// Throws CommandFault.
    void read(CommandQueue& queue, std::uint8_t opcode);

    [[nodiscard]] const Op& op() const { return op_; }
    [[nodiscard]] std::span<const Stage> stages() const { return stages_; }
    [[nodiscard]] bool is_pipelined() const { return (op_.flags & LEVEE_RERAM_PIPELINED) != 0; }
    [[nodiscard]] bool is_unsigned() const { return (op_.flags & LEVEE_RERAM_UNSIGNED) != 0; }
    [[nodiscard]] unsigned input_type_bits() const
    {
        return op_.a_type == LEVEE_TYPE_INT8 ? 8 : 16;
    }
    [[nodiscard]] std::size_t products() const { return std::size_t{op_.outer[0]} * op_.outer[1]; }
    /// Number of vectors of one iteration (o0, o1) of the outer loops.
    [[nodiscard]] std::uint64_t vectors() const { return std::uint64_t{op_.m1} * op_.m0; }

    /// Number of elements of the vectors (k), and of the results (n), of iteration `index`.
    [[nodiscard]] std::uint32_t k(std::size_t index) const
    {
        return op_.ragged == LEVEE_RERAM_RAGGED_K ? lengths_[index] : op_.k;
    }
    [[nodiscard]] std::uint32_t n(std::size_t index) const
    {
        return op_.ragged == LEVEE_RERAM_RAGGED_N ? lengths_[index] : op_.n;
    }
    [[nodiscard]] std::uint32_t longest_k() const { return longest(LEVEE_RERAM_RAGGED_K, op_.k); }
    [[nodiscard]] std::uint32_t longest_n() const { return longest(LEVEE_RERAM_RAGGED_N, op_.n); }
    /// WRITE: the first column that iteration (o0, o1) programs.
    [[nodiscard]] std::uint32_t first_column(std::uint32_t o0, std::uint32_t o1) const;

    [[nodiscard]] MatrixPlace place_of(const Stage& stage, std::uint32_t o0,
                                       std::uint32_t o1) const;
    [[nodiscard]] std::vector<UnitRange> units_of(const Stage& stage) const;
    /// Number of products with a vector that the same crossbars of a stage compute one after
    /// another.
    [[nodiscard]] std::uint64_t in_turn(const Stage& stage) const;
    /// Number of lines that a stage's inputs drive, in the whole matrix.
    [[nodiscard]] std::uint64_t driven_lines(std::size_t number) const;
    /// Whether the number of driven lines (below: sensed lines) of a stage depends on a ragged
    /// length.
    [[nodiscard]] bool is_driven_ragged(std::size_t number) const
    {
        return op_.ragged == LEVEE_RERAM_RAGGED_K && number == 0;
    }
    [[nodiscard]] bool is_sensed_ragged(std::size_t number) const
    {
        return op_.ragged == LEVEE_RERAM_RAGGED_N && number + 1 == stages_.size();
    }
    /// Width of each input of a stage in bits, without a sign; one bit is driven per cycle.
    [[nodiscard]] std::uint32_t input_bits(std::size_t number) const;

private:
    void check(std::uint8_t opcode) const;
    void check_product() const;
    void check_write() const;
    void read_stages(CommandQueue& queue);
    void check_stage(std::size_t number) const;
    void check_chain() const;
    void read_lengths(CommandQueue& queue);
    [[nodiscard]] std::uint32_t longest(levee_reram_ragged ragged, std::uint32_t whole) const
    {
        return op_.ragged == ragged ? *std::ranges::max_element(lengths_) : whole;
    }

    const Crossbars* crossbars_;
    std::uint32_t units_;
    Op op_{};
    std::vector<Stage> stages_;
    std::vector<std::uint32_t> lengths_; ///< One for each iteration; empty: none are ragged.
};

} // namespace levee::reram
