// SPDX-License-Identifier: Apache-2.0
// A transformer in FP16 composed of the references of PE arrays, an element-serial unit and a
// function unit, vector by vector: what the machine of these blocks must equal in every bit. It
// knows neither SystemC nor firmware, and has no schedule. Values rest in FP16; sums, and what
// passes from the arrays to the element-serial unit, are FP32.
#pragma once

#include "ip/common/numerics.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace levee::test {

using Halves = std::vector<std::uint16_t>;

// One sequence. The image, whose matrices are FP16, outlives it.
class Fp16Transformer {
public:
    // `columns_first`: first tensors of the matrices that are multiplied outer. Throws
    // std::invalid_argument for weights of another type.
    Fp16Transformer(const ModelImage& image, std::set<levee_tensor_kind> columns_first);

    // Takes the next token and returns the logits [vocab] of what follows it.
    std::vector<float> step(std::uint32_t token);

private:
    [[nodiscard]] Halves embed(std::uint32_t token) const;
    [[nodiscard]] Halves norm(const Halves& x, levee_tensor_kind gain, levee_tensor_kind bias,
                              std::uint32_t layer) const;
    /// Sums of x with the rows of a matrix, as they leave the arrays.
    [[nodiscard]] std::vector<float> multiply(const Halves& x, levee_tensor_kind weights,
                                              std::uint32_t layer, levee_tensor_kind first) const;
    [[nodiscard]] Halves rotated(const Halves& heads) const;
    void add(Halves& x, const std::vector<float>& sums) const;
    [[nodiscard]] Halves attention(const Halves& normed, std::uint32_t layer);
    [[nodiscard]] Halves attend(std::span<const std::uint16_t> query, const Halves& keys,
                                const Halves& values) const;
    [[nodiscard]] Halves feed_forward(const Halves& normed, std::uint32_t layer) const;

    const ModelImage& image_;
    const levee_model_header& shape_;
    std::set<levee_tensor_kind> columns_first_;
    std::uint32_t position_ = 0;
    std::vector<Halves> keys_, values_; // [layer][kv_head], of all tokens
};

} // namespace levee::test
