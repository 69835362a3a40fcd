// SPDX-License-Identifier: Apache-2.0
// The parts of a Titanus core, the layer that it runs, and how published figures are read:
// parameters of a scenario, free of SystemC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace levee::cim {

/// A number of equal units; each processes a number of elements in an operation of a number of
/// cycles. Units are not pipelined: an operation of p cycles repeats every p + 1 cycles, one of
/// which reports the result.
struct Unit {
    std::uint32_t count = 1;
    std::uint32_t elements = 1;
    std::uint32_t cycles = 1;
};

/// A core: macros for the six matrices of one layer, and the units between them. All macros of a
/// matrix work at the same time. Counts of macros and accumulators follow from the largest layer
/// that fits.
struct Units {
    std::uint32_t hidden = 0;       ///< largest width of the residual stream
    std::uint32_t feed_forward = 0; ///< largest number of outputs of the first feed-forward matrix
    std::uint32_t macro_inputs = 1, macro_outputs = 1; ///< size of a macro: 8-bit weights
    std::uint32_t macro_cycles = 1;                    ///< Cycles for a vector of 8-bit inputs.
    /// One accumulator per output column, started with its macros.
    std::uint32_t accumulator_cycles = 1;
    Unit keys, values; ///< engines of Q K^T and of S V; elements: lanes
    Unit softmax;
    Unit norm; ///< Norm units before attention; the feed-forward matrices have the same number.
    Unit activation;
    Unit pruning, quantisation, dequantisation;
    Unit rotation; ///< unit that rotates positions; count 0: none
    std::uint64_t global_buffer_bytes = 1, scale_buffer_bytes = 1;
    double buffer_bits_per_cycle = 1;   ///< bandwidth of either buffer
    double off_chip_bits_per_cycle = 1; ///< bandwidth of the memory outside
    std::uint32_t scale_bits = 8;       ///< bits of an entry of the scale buffer, for its cycles

    /// Macros for a matrix with this many inputs and outputs.
    [[nodiscard]] std::uint64_t macros(std::uint64_t inputs, std::uint64_t outputs) const;
    [[nodiscard]] std::uint64_t macros() const;
    [[nodiscard]] std::uint64_t accumulators() const;
    /// Weights of one byte that all macros hold.
    [[nodiscard]] std::uint64_t weights() const;
};

/// A decoder layer.
struct Shape {
    std::uint32_t dim = 0, feed_forward = 0; ///< feed_forward: outputs of the first matrix
    std::uint32_t inner = 0;                 ///< inputs of the second: half of them if it is gated
    std::uint32_t heads = 0, kv_heads = 0, head_dim = 0;
    bool rotated = false; ///< queries and keys are rotated to their position

    /// Keys and values of a token in all heads.
    [[nodiscard]] std::uint64_t kv_elements() const
    {
        return std::uint64_t{2} * kv_heads * head_dim;
    }
};

/// Measured sparsity and bits of compressed keys and values.
struct Compression {
    double pruned = 0;   ///< share of elements below the threshold
    double zeros = 0;    ///< share that is zero once the others have been quantised
    double restored = 0; ///< share that is zero once dequantised
    double bits = 8;     ///< bits of a code, keys and values averaged
};

/// A reading of the published figures. The default is a machine that does what the paper states.
/// The others are readings that explain a published figure (docs/pim.md).
struct Reading {
    /// Tokens of a sample (of a prompt, and after it) whose time and energy stand for all tokens,
    /// at any context; 0: each token has its own.
    std::uint32_t sample_prompt = 0, sample_generated = 0;
    std::uint32_t log_block =
        0; ///< With a sample: energy counts whole blocks of this many cycles; 0: all cycles.
    bool operands_awaited = true; ///< an operation starts when its inputs are there
    bool off_chip_timed = true;   ///< transfers to and from off-chip memory take time
    double off_chip_factor = 1;   ///< untimed: factor by which the memory outside counts as faster
    bool labels_needed = true;    ///< labels are as wide as the levels need; otherwise one bit
    /// The quantiser's power is that of one operation, whatever the number of survivors. Otherwise
    /// it is also scaled by the survivors, although these already reduce its operations.
    bool quantiser_once = true;
    bool dequantises_codes = true; ///< dequantisers work on non-zero codes; otherwise on survivors
    /// Each token has its own time in each stage of the pipeline; otherwise every stage takes the
    /// slowest stage's share of an average token.
    bool own_beats = true;
    bool projections_beside = true; ///< In a pipeline Q, K and V are computed in parallel.
    bool inputs_once = true;  ///< a prompt's vectors are read off chip by the first layer only
    bool buffers_read = true; ///< stored and loaded data also pass through the buffer
    bool buffer_holds_its_size = true; ///< a matrix as large as the buffer is loaded, too

    [[nodiscard]] std::uint32_t sample() const { return sample_prompt + sample_generated; }
};

enum class Pipeline {
    None,      ///< operations one after another, and layers too
    IntraCore, ///< seven stages of a core take a prompt's tokens one after the other
    InterCore  ///< Tokens also stream from core to core.
};

/// Kinds of operations of a layer, in their order.
enum class Kind : std::size_t {
    Norm1,
    Query,
    Key,
    Value,
    Rotate,
    Prune,
    Quantise,
    Dequantise,
    Scores,
    Softmax,
    Mix,
    Output,
    Norm2,
    Expand,
    Activate,
    Contract,
    Count
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(Kind::Count);
constexpr std::size_t at(Kind kind)
{
    return static_cast<std::size_t>(kind);
}
template <typename T> using ByKind = std::array<T, kinds>;

/// The work of one pass in one layer: `tokens` of a sequence after `before` cached ones.
struct Work {
    std::uint64_t tokens = 0, before = 0;
};

} // namespace levee::cim
