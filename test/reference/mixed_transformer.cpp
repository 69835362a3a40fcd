// SPDX-License-Identifier: Apache-2.0
#include "test/reference/mixed_transformer.hpp"

#include <algorithm>

namespace levee::test {

Fp16Transformer::Projected MixedTransformer::project(std::uint32_t layer) const
{
    const QuantisedVector input = parts_.attention_input(x_, layer);
    return {parts_.raw_projection(input, LEVEE_TENSOR_WQ, LEVEE_TENSOR_BQ, layer),
            parts_.raw_projection(input, LEVEE_TENSOR_WK, LEVEE_TENSOR_BK, layer),
            parts_.raw_projection(input, LEVEE_TENSOR_WV, LEVEE_TENSOR_BV, layer)};
}

void MixedTransformer::end_attention(const Halves& attended, std::uint32_t layer)
{
    std::vector<float> heads(attended.size());
    std::transform(attended.begin(), attended.end(), heads.begin(), fp16_to_fp32);
    parts_.add_attention(x_, heads, layer);
}

} // namespace levee::test
