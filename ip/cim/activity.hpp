// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim/timing.hpp"

namespace levee::cim {

/// Bytes that a token's keys and values take in a layer.
struct KvBytes {
    std::uint64_t codes = 0;  ///< Bytes of the non-zero codes.
    std::uint64_t index = 0;  ///< Bytes of the index: one bit per element.
    std::uint64_t labels = 0; ///< Bytes of the surviving values' level labels.
    std::uint64_t stored = 0; ///< Bytes through on-chip buffers: values that survive pruning, the
                              ///< index twice, codes, labels.

    [[nodiscard]] std::uint64_t moved() const { return codes + index + labels; }
};
[[nodiscard]] KvBytes kv_bytes(const Shape& shape, const Compression& compression,
                               const Reading& reading, std::uint32_t levels);

/// Number of units multiplied by the cycles in which they are busy. `active` is reduced by
/// sparsity, `on` is not.
struct Activity {
    double macros = 0, accumulators = 0;
    double engines_on = 0, engines_active = 0;
    double pruning = 0;
    double quantisation_on = 0, quantisation_active = 0;
    double dequantisation_on = 0, dequantisation_active = 0;
    double softmax = 0, norm = 0, activation = 0, rotation = 0;
    double buffer_on = 0, scale_buffer_on = 0;
    std::uint64_t stored_bytes = 0;       ///< Bytes written to the global buffer and read from it.
    std::uint64_t scale_stored_bytes = 0; ///< Bytes written to the scale buffer and read from it.
    std::uint64_t kv_bytes = 0;           ///< Bytes to and from off-chip memory.
    std::uint64_t macs = 0;               ///< Multiply-accumulates with weights in the macros.
};

/// Tokens of one sequence in a layer. `levels` is the number of quantisation levels so far; the
/// scales of the first `levels_before` levels are already written. `final_tokens` is the final
/// length of the sequence, which a sample needs; 0: use the present length.
struct LayerWork {
    Work work;
    std::uint32_t levels = 1, levels_before = 0;
    std::uint64_t final_tokens = 0;
    bool first = false; ///< Layer 0, whose input comes from off-chip memory.
};

class Accounts {
public:
    /// Timing describes the first four parameters. `input_bytes` is the size of one element of a
    /// layer's input.
    Accounts(const Units& units, const Shape& shape, const Compression* compression,
             const Reading& reading, std::uint32_t input_bytes);

    [[nodiscard]] Activity activity(const LayerWork& work) const;
    /// Activity of compressing a prompt's vectors after the prompt: pruning and quantisation units,
    /// and buffers. `work.tokens` must be all tokens of the prompt.
    [[nodiscard]] Activity packing(const LayerWork& work) const;
    /// Bytes of the layer's input that come from off-chip memory.
    [[nodiscard]] std::uint64_t input_bytes(const LayerWork& work) const;
    /// Bytes of a layer's weights that are loaded from off-chip memory, and the cycles that this
    /// takes.
    [[nodiscard]] std::uint64_t loaded_bytes() const;
    [[nodiscard]] double loading_cycles() const;

private:
    void add_products(const Work& work, Activity& activity) const;
    void add_functions(const LayerWork& work, Activity& activity) const;
    void add_engines(const LayerWork& work, const ByKind<double>& busy, Activity& activity) const;
    void add_buffers(const LayerWork& work, Activity& activity) const;
    void add_stored(const LayerWork& work, const KvBytes& one, Activity& activity) const;
    void add_scales(const LayerWork& work, Activity& activity) const;
    [[nodiscard]] ByKind<double> busy_of(const Work& work) const;
    [[nodiscard]] std::uint64_t off_chip_cycles(std::uint64_t bytes) const;
    [[nodiscard]] std::array<std::uint64_t, 6> matrices() const;

    Units units_;
    Shape shape_;
    Compression compression_;
    bool compressed_;
    Reading reading_;
    std::uint32_t input_bytes_;
    Timing timing_;
};

} // namespace levee::cim
