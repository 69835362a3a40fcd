// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"
#include "core/flow/streams.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/sfu/regs.h"

#include <cstddef>
#include <cstdint>

namespace levee::sfu {

/// A descriptor's operation, and properties that depend only on the descriptor.
struct VectorOperation : levee_sfu_operation {
    std::uint8_t opcode = 0;

    VectorOperation() : levee_sfu_operation{} {}
    explicit VectorOperation(const levee_descriptor& descriptor);

    /// Throws CommandFault unless the unit supports the operation. The opcode must be valid.
    void check() const;

    [[nodiscard]] std::size_t groups() const { return std::size_t{outer[0]} * outer[1]; }
    [[nodiscard]] std::size_t vectors() const { return groups() * rows; }

    [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
    /// Whether each vector of SAMPLE has its own seed in the indices table. With SCATTER, the
    /// indices table instead contains the output rows.
    [[nodiscard]] bool has_seeds() const
    {
        return opcode == LEVEE_SFU_SAMPLE && indices != 0 && !has(LEVEE_SFU_SCATTER);
    }
    /// Whether each group (o0, o1) of SAMPLE has its own temperature in the positions table.
    [[nodiscard]] bool has_temperatures() const
    {
        return opcode == LEVEE_SFU_SAMPLE && positions != 0;
    }
    [[nodiscard]] bool is_pick() const
    {
        return opcode == LEVEE_SFU_ARGMAX || opcode == LEVEE_SFU_SAMPLE ||
               opcode == LEVEE_SFU_LOG_PROB;
    }
    [[nodiscard]] bool is_softmax() const ///< Any kind of softmax.
    {
        return opcode == LEVEE_SFU_SOFTMAX || opcode == LEVEE_SFU_SOFTMAX_PART ||
               opcode == LEVEE_SFU_SOFTMAX_KNOWN;
    }
    /// Whether the operation reads (writes) the running maximum and sum at gain.
    [[nodiscard]] bool reads_running() const
    {
        return opcode == LEVEE_SFU_SOFTMAX_KNOWN || (writes_running() && !has(LEVEE_SFU_FIRST));
    }
    [[nodiscard]] bool writes_running() const { return opcode == LEVEE_SFU_SOFTMAX_PART; }
    [[nodiscard]] bool has_running() const { return reads_running() || writes_running(); }
    /// Whether each vector of a softmax has a sink in addition to the elements of x.
    [[nodiscard]] bool has_sinks() const { return is_softmax() && positions != 0; }
    /// COMBINE: number of rows that are added up for a result.
    [[nodiscard]] std::uint32_t summands() const { return seed + (y != 0 ? 1U : 0U); }
    /// ROUTE: whether a softmax precedes the choice.
    [[nodiscard]] bool weighs_first() const { return bias != 0 && !has(LEVEE_SFU_SIGMOID); }
    /// Whether results are codes with a scale for each vector.
    [[nodiscard]] bool is_quantised() const
    {
        return out_type == LEVEE_TYPE_INT16 || out_type == LEVEE_TYPE_INT8 ||
               out_type == LEVEE_TYPE_INT4;
    }
    /// Whether results are vectors of codes.
    [[nodiscard]] bool has_codes() const
    {
        return !is_pick() && opcode != LEVEE_SFU_ROUTE && is_quantised();
    }
    /// Whether a table gives the places of the rows of `out`. With SCATTER, a table always gives
    /// the places of the rows of out_scale.
    [[nodiscard]] bool scatters_out() const
    {
        return has(LEVEE_SFU_SCATTER) && !has(LEVEE_SFU_SCATTER_SCALE);
    }
    /// Whether x comes from a stream port, and whether results go to a stream port.
    [[nodiscard]] bool streams_in() const { return StreamPorts::is_stream(x); }
    [[nodiscard]] bool streams_out() const { return StreamPorts::is_stream(out); }

    /// Number of elements of a vector on the tap.
    [[nodiscard]] std::uint32_t tap_elements() const
    {
        return has(LEVEE_SFU_TAP_LISTED) ? seed : n;
    }

    [[nodiscard]] std::uint64_t x_bytes() const { return bytes_of(n, x_type); }
    /// Whether y has a row for every row of x, or of the result.
    [[nodiscard]] bool has_rows_y() const;
    /// Whether x is normalised before the operation's own function.
    [[nodiscard]] bool is_normalised() const
    {
        return gain != 0 && (opcode == LEVEE_SFU_ROPE || opcode == LEVEE_SFU_QUANTISE);
    }
    /// Binary logarithm of the Hadamard matrix's number of rows; 0: no multiplication by a Hadamard
    /// matrix.
    [[nodiscard]] std::uint32_t hadamard_log2() const
    {
        return opcode == LEVEE_SFU_ROPE || opcode == LEVEE_SFU_QUANTISE ? block_log2 : 0;
    }
    /// ROPE: number of rotated elements.
    [[nodiscard]] std::uint32_t rotated() const { return seed == 0 ? n : seed; }
    [[nodiscard]] unsigned y_element() const
    {
        return y_type == LEVEE_TYPE_FP16 ? LEVEE_TYPE_FP16 : LEVEE_TYPE_FP32;
    }
    [[nodiscard]] std::uint64_t y_bytes() const { return bytes_of(n, y_element()); }
    [[nodiscard]] std::uint64_t out_bytes() const
    {
        return is_pick() ? sizeof(levee_sfu_pick) : bytes_of(n, out_type);
    }
    /// Softmaxes: number of last valid elements that a row uses; 0: all.
    [[nodiscard]] std::uint32_t window() const
    {
        return is_softmax() && !has(LEVEE_SFU_TAP_LISTED) ? seed : 0;
    }
    /// Returns the head of `y` and `lengths` that o1 uses; below, the number of these heads.
    [[nodiscard]] std::uint32_t shared_head(std::uint32_t o1) const
    {
        return group > 1 ? o1 / group : o1;
    }
    [[nodiscard]] std::uint32_t shared_heads() const { return shared_head(outer[1] - 1u) + 1; }

    /// EMBED: elements of a table row that share a scale (0: all of them); below, the number of
    /// scales per row.
    [[nodiscard]] std::uint32_t scaled_elements() const
    {
        return block_log2 == 0 ? 0 : 1u << block_log2;
    }
    [[nodiscard]] std::uint64_t scales_of_row() const;

private:
    void check_operands() const;
    void check_flags() const;
    void check_alignment() const;
    void check_types() const;
};

/// Size of a levee_sfu_running in words.
constexpr std::int32_t running_words = sizeof(levee_sfu_running) / sizeof(float);

} // namespace levee::sfu
