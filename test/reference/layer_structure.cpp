// SPDX-License-Identifier: Apache-2.0
#include "test/reference/layer_structure.hpp"

#include "ip/sfu/model.hpp"

namespace levee::test {

namespace {

// Returns the phases that rotate a layer, or none if it is not rotated.
std::span<const std::uint32_t> phases_of(const ModelImage& image, std::uint32_t layer)
{
    const std::uint32_t flags = image.shape().flags_of(layer);
    if (!image.shape().rotated() || (flags & LEVEE_LAYER_UNROTATED) != 0)
        return {};
    const bool local = (flags & LEVEE_LAYER_LOCAL) != 0 && image.shape().local_phases;
    return image.tensor(local ? LEVEE_TENSOR_ROPE_PHASE_LOCAL : LEVEE_TENSOR_ROPE_PHASE).words();
}

} // namespace

void place_heads(const ModelImage& image, const Positioned& positioned, std::span<float> x)
{
    const ModelShape& shape = image.shape();
    std::span<const float> gains;
    if (image.has(positioned.norm, positioned.layer))
        gains = image.tensor(positioned.norm, positioned.layer).floats();
    if (shape.head_norm == HeadNorm::all)
        sfu::rms_norm(x, gains, shape.norm_epsilon, x);
    const auto phases = phases_of(image, positioned.layer);
    for (std::size_t first = 0; first < x.size(); first += shape.head_dim) {
        const auto head = x.subspan(first, shape.head_dim);
        if (shape.head_norm == HeadNorm::head)
            sfu::rms_norm(head, gains, shape.norm_epsilon, head);
        sfu::rope(head, phases, positioned.position, shape.position == LEVEE_POSITION_ROPE_HALVES,
                  head);
    }
}

void activate(const ModelShape& shape, std::span<const float> x, std::span<const float> up,
              std::span<float> out)
{
    switch (shape.activation) {
    case LEVEE_ACTIVATION_SILU_GLU:
        return sfu::silu_mul(x, up, out);
    case LEVEE_ACTIVATION_RELU:
        return sfu::relu(x, out);
    case LEVEE_ACTIVATION_GELU:
        return sfu::gelu(x, out);
    case LEVEE_ACTIVATION_GELU_GLU:
        return sfu::gelu_mul(x, up, out);
    case LEVEE_ACTIVATION_GELU_TANH:
        return sfu::gelu_tanh(x, out);
    case LEVEE_ACTIVATION_GELU_TANH_GLU:
        return sfu::gelu_tanh_mul(x, up, out);
    case LEVEE_ACTIVATION_RELU_SQUARED:
        return sfu::relu_squared(x, out);
    case LEVEE_ACTIVATION_RELU_GLU:
        return sfu::relu_mul(x, up, out);
    case LEVEE_ACTIVATION_CLAMPED_GLU:
        return sfu::clamped_mul(x, up, {shape.glu_limit, shape.glu_alpha}, out);
    case LEVEE_ACTIVATION_END:
        break;
    }
}

} // namespace levee::test
