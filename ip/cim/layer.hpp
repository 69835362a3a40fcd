// SPDX-License-Identifier: Apache-2.0
// Bit-exact computation of a core for one sequence. The decoder layer consists of the references
// for products (ip/rsa) and vector functions (ip/sfu). Free of SystemC.
#pragma once

#include "ip/cim/regs.h"
#include "ip/cim_macro/engine.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim {

/// An INT8 matrix in its macros, with the FP32 factors of its rows.
struct Matrix {
    std::span<const std::uint8_t> weights; ///< Row-major, rows `row_bytes` apart.
    std::uint32_t rows = 0, columns = 0, row_bytes = 0;
    std::vector<float> scales;
    std::vector<float> biases; ///< empty: none
};

/// Parameters of a layer other than its matrices.
struct Parameters {
    std::array<std::vector<float>, 2> norm_gain, norm_bias;
    std::array<Matrix, LEVEE_CIM_MATRICES> matrices;
    std::vector<std::uint32_t> rope_phase;
};

/// Keys or values of a sequence in a layer: INT16 codes [head][slot][head_dim], with one scale per
/// vector.
struct Cached {
    std::vector<std::int16_t> codes;
    std::vector<float> scales; ///< [head][slot]
};

class DecoderLayer {
public:
    /// `parameters` must outlive the layer. `input_bytes` is the size of an input element of a
    /// macro, 1 or 2. `macro` computes all products with matrices; null: the reference does.
    DecoderLayer(const levee_cim_model& model, const Parameters& parameters,
                 std::uint32_t input_bytes, cim_macro::Engine* macro = nullptr);

    /// Processes the tokens at positions from `before` on, in place in x, [tokens][dim]. `keys` and
    /// `values` need slots for all tokens. The first `before` slots are filled; the others are
    /// written.
    void run(std::span<float> x, std::size_t before, Cached& keys, Cached& values) const;
    /// Multiplies x, [vectors][columns], by a matrix; the result is [vectors][rows].
    [[nodiscard]] std::vector<float> linear(std::span<const float> x, levee_cim_matrix which) const;

private:
    [[nodiscard]] std::vector<float> multiply_by_macro(std::span<const std::int16_t> codes,
                                                       std::span<const float> scales,
                                                       const Matrix& matrix) const;
    [[nodiscard]] std::vector<float> normalise(std::span<const float> x, std::size_t which) const;
    void store(std::span<const float> row, std::size_t first, std::size_t slot, bool rotated,
               Cached& cached) const;
    [[nodiscard]] std::vector<float> attention(std::span<const float> row, std::size_t position,
                                               const Cached& keys, const Cached& values) const;
    void attend(std::span<const float> query, std::size_t head, std::size_t tokens,
                const Cached& keys, const Cached& values, std::span<float> out) const;
    void rotate(std::span<const float> x, std::size_t position, std::span<float> out) const;
    [[nodiscard]] std::vector<float> feed_forward(std::span<const float> x) const;

    const levee_cim_model& model_;
    const Parameters& parameters_;
    std::uint32_t input_bytes_;
    cim_macro::Engine* macro_;
};

} // namespace levee::cim
