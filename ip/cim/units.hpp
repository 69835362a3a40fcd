// SPDX-License-Identifier: Apache-2.0
// Scenario parameters: the units of a Titanus core, the layer that it runs, and the interpretation
// (Reading) of the paper. Free of SystemC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace levee::cim {

/// `count` equal units. An operation of a unit processes `elements` elements in `cycles` cycles.
/// Units are not pipelined, and one more cycle reports the result, so a unit starts an operation of
/// p cycles every p + 1 cycles.
struct Unit {
    std::uint32_t count = 1;
    std::uint32_t elements = 1;
    std::uint32_t cycles = 1;
};

/// A core: macros for the six matrices of one layer, and the other units. All macros of a matrix
/// work in parallel. The largest supported layer determines the number of macros and accumulators.
struct Units {
    std::uint32_t hidden = 0;       ///< Largest width of the residual stream.
    std::uint32_t feed_forward = 0; ///< Maximum number of outputs of the first feed-forward matrix.
    std::uint32_t macro_inputs = 1, macro_outputs = 1; ///< Size of a macro with 8-bit weights.
    std::uint32_t macro_cycles = 1;                    ///< Cycles for a vector of 8-bit inputs.
    /// Each output column has one accumulator, which starts together with its macros.
    std::uint32_t accumulator_cycles = 1;
    Unit keys, values; ///< Units for Q K^T and for S V; their elements are lanes.
    Unit softmax;
    Unit norm; ///< Norm units before attention; the feed-forward part has as many.
    Unit activation;
    Unit pruning, quantisation, dequantisation;
    Unit rotation; ///< Rotates queries and keys by position; count 0: none.
    std::uint64_t global_buffer_bytes = 1, scale_buffer_bytes = 1;
    double buffer_bits_per_cycle = 1;   ///< Bandwidth of either buffer.
    double off_chip_bits_per_cycle = 1; ///< Bandwidth of the off-chip memory.
    std::uint32_t scale_bits = 8;       ///< Bits of an entry of the scale buffer, which determine
                                        ///< its cycles.

    /// Number of macros for a matrix with this many inputs and outputs.
    [[nodiscard]] std::uint64_t macros(std::uint64_t inputs, std::uint64_t outputs) const;
    [[nodiscard]] std::uint64_t macros() const;
    [[nodiscard]] std::uint64_t accumulators() const;
    /// Number of one-byte weights in all macros.
    [[nodiscard]] std::uint64_t weights() const;
};

/// A decoder layer.
struct Shape {
    std::uint32_t dim = 0, feed_forward = 0; ///< feed_forward: outputs of the first matrix.
    std::uint32_t inner = 0;                 ///< Inputs of the second matrix: half of feed_forward
                                             ///< if gated.
    std::uint32_t heads = 0, kv_heads = 0, head_dim = 0;
    bool rotated = false; ///< Queries and keys get rotary position embedding.

    /// Number of elements in a token's keys and values in all heads.
    [[nodiscard]] std::uint64_t kv_elements() const
    {
        return std::uint64_t{2} * kv_heads * head_dim;
    }
};

/// Measured sparsity and bits of compressed keys and values.
struct Compression {
    double pruned = 0;   ///< Fraction of elements below the pruning threshold.
    double zeros = 0;    ///< Fraction of zeros after quantisation of the other elements.
    double restored = 0; ///< Fraction of zeros after dequantisation.
    double bits = 8;     ///< Bits of a code, averaged over keys and values.
};

/// An interpretation of the paper. The defaults describe a machine that does what the paper's text
/// states. Other values reproduce a published figure (docs/pim.md).
struct Reading {
    /// Number of tokens in a sample's prompt, and of generated tokens. The sample's time and energy
    /// then represent all tokens, at any context length. 0: no sample; each token has its own time
    /// and energy.
    std::uint32_t sample_prompt = 0, sample_generated = 0;
    std::uint32_t log_block =
        0; ///< With a sample: energy counts whole blocks of this many cycles; 0: exact cycles.
    bool operands_awaited = true; ///< An operation starts only when its inputs are available.
    bool off_chip_timed = true;   ///< Transfers to and from off-chip memory take time.
    double off_chip_factor = 1;   ///< If transfers take no time: factor by which off-chip memory
                                  ///< counts as faster.
    bool labels_needed = true;    ///< Labels are as wide as the number of levels requires;
                                  ///< otherwise one bit.
    /// The quantiser's power does not depend on the number of survivors. Otherwise, power is also
    /// scaled by the fraction of survivors, although this already reduces the number of operations.
    bool quantiser_once = true;
    bool dequantises_codes = true; ///< Dequantisers work on non-zero codes; otherwise on survivors.
    /// Each token takes its own time in each stage of the pipeline. Otherwise, every stage takes
    /// the time of the slowest stage for the slowest token; with a sample, for an average token.
    bool own_beats = true;
    bool projections_beside = true; ///< In a pipeline, Q, K and V are computed in parallel.
    bool inputs_once = true;        ///< Only the first layer reads a prompt's vectors off chip.
    bool buffers_read = true;       ///< Buffer accesses to read and to load rows also count.
    /// The second feed-forward matrix is loaded even if the first one fills the buffer.
    bool buffer_holds_its_size = true;

    [[nodiscard]] std::uint32_t sample() const { return sample_prompt + sample_generated; }
};

enum class Pipeline {
    None,      ///< Operations and layers run one after another.
    IntraCore, ///< The seven stages of a core are a pipeline for a prompt's tokens.
    InterCore  ///< Tokens also stream from core to core.
};

/// Kinds of operations in a layer, in execution order.
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

/// Work of one pass in one layer: `tokens` new tokens of a sequence, after `before` cached ones.
struct Work {
    std::uint64_t tokens = 0, before = 0;
};

} // namespace levee::cim
