// SPDX-License-Identifier: Apache-2.0
// Activity of a layer's tokens: bytes moved, and units times cycles; free of SystemC.
#pragma once

#include "ip/cim/timing.hpp"

namespace levee::cim {

/// Bytes of a token's keys and values in a layer.
struct KvBytes {
    std::uint64_t codes = 0;  ///< Codes that are not zero.
    std::uint64_t index = 0;  ///< a bit an element
    std::uint64_t labels = 0; ///< level labels of the values that survive pruning
    std::uint64_t stored = 0; ///< Stored bytes are collected on chip first: survivors, index,
                              ///< codes, index, labels.

    [[nodiscard]] std::uint64_t moved() const { return codes + index + labels; }
};
[[nodiscard]] KvBytes kv_bytes(const Shape& shape, const Compression& compression,
                               const Reading& reading, std::uint32_t levels);

/// Units times cycles; `active` scales with sparsity, `on` does not.
struct Activity {
    double macros = 0, accumulators = 0;
    double engines_on = 0, engines_active = 0;
    double pruning = 0;
    double quantisation_on = 0, quantisation_active = 0;
    double dequantisation_on = 0, dequantisation_active = 0;
    double softmax = 0, norm = 0, activation = 0, rotation = 0;
    double buffer_on = 0, scale_buffer_on = 0;
    std::uint64_t stored_bytes = 0;       ///< written to the global buffer, and read from it
    std::uint64_t scale_stored_bytes = 0; ///< Stored bytes of the scale buffer.
    std::uint64_t kv_bytes = 0;           ///< Bytes to and from off-chip memory.
    std::uint64_t macs = 0;               ///< products with weights, in the macros
};

/// Tokens of one sequence in a layer. `levels`: levels of quantisation so far; `levels_before`:
/// those whose scales have been written. `final_tokens`: final length of the sequence, for a
/// sample's readings; 0: unknown, the present length.
struct LayerWork {
    Work work;
    std::uint32_t levels = 1, levels_before = 0;
    std::uint64_t final_tokens = 0;
    bool first = false; ///< the layer's input comes from outside
};

class Accounts {
public:
    /// Same as Timing; `input_bytes`: size of an element of a layer's input.
    Accounts(const Units& units, const Shape& shape, const Compression* compression,
             const Reading& reading, std::uint32_t input_bytes);

    [[nodiscard]] Activity activity(const LayerWork& work) const;
    /// Activity of packing a prompt's vectors once it is over: units that prune and quantise, and
    /// buffers. `work.tokens`: all tokens of the prompt.
    [[nodiscard]] Activity packing(const LayerWork& work) const;
    /// Bytes of the layer's input that come from outside.
    [[nodiscard]] std::uint64_t input_bytes(const LayerWork& work) const;
    /// Bytes of a layer's weights loaded from outside, and the units that this keeps busy.
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
