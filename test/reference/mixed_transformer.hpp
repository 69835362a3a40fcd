// SPDX-License-Identifier: Apache-2.0
// A transformer composed of the blocks' references. Products with weights use integer codes, as on
// a systolic array or a computing flash. Attention is in FP16, as on VEDA's arrays. The function
// unit converts between the two.
#pragma once

#include "test/reference/fp16_transformer.hpp"
#include "test/reference/transformer_parts.hpp"

namespace levee::test {

class MixedTransformer : public Fp16Transformer {
public:
    // `input_bits` is the number of bits of the inputs of products with weights. The image must
    // outlive the object.
    MixedTransformer(const ModelImage& image, unsigned input_bits, Fp16Cache cache = {})
        : Fp16Transformer(image, std::move(cache)), parts_(image, input_bits)
    {
    }

private:
    void begin(std::uint32_t token) override { x_ = parts_.embed(token, position()); }
    [[nodiscard]] Projected project(std::uint32_t layer) const override;
    void end_attention(const Halves& attended, std::uint32_t layer) override;
    void feed_forward(std::uint32_t layer) override { parts_.add_feed_forward(x_, layer); }
    [[nodiscard]] std::vector<float> logits() const override { return parts_.logits(x_); }

    TransformerParts parts_;
    std::vector<float> x_;
};

} // namespace levee::test
