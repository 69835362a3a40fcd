// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/synthetic.hpp"

#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/rope_phase.hpp"

#include <cmath>

namespace levee {

namespace {

constexpr double rope_theta = 10000.0;
constexpr double local_theta = 100.0; // base for local layers that have their own rotation

/// Returns the number that SplitMix64 makes from the state `value` (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t mix(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31);
}

/// Returns a uniform number in [-1, 1), in steps of 2^-23, which FP32 represents exactly.
float uniform(std::uint64_t key, std::uint64_t index)
{
    return static_cast<float>(static_cast<std::int32_t>(mix(key + mix(index)) >> 40) - (1 << 23)) *
           0x1p-23F;
}

struct Spread {
    float centre, width;
};

Spread spread_of(const TensorSpec& spec)
{
    switch (spec.kind) {
    case LEVEE_TENSOR_EMBEDDING:
    case LEVEE_TENSOR_POSITION:
        return {0.0F, 1.0F};
    case LEVEE_TENSOR_NORM_ATTENTION:
    case LEVEE_TENSOR_NORM_FFN:
    case LEVEE_TENSOR_NORM_FINAL:
    case LEVEE_TENSOR_NORM_QUERY:
    case LEVEE_TENSOR_NORM_KEY:
    case LEVEE_TENSOR_NORM_ATTENTION_AFTER:
    case LEVEE_TENSOR_NORM_FFN_AFTER:
    case LEVEE_TENSOR_NORM_QUERY_LATENT:
    case LEVEE_TENSOR_NORM_KV_LATENT:
        return {1.0F, 0.125F};
    default:
        break;
    }
    if (spec.role == TensorRole::vector) {
        return {0.0F, 0.125F};
    }
    // The width w follows from the variance: a uniform number in [-w, w) has the variance w^2 / 3.
    return {0.0F, std::sqrt(3.0F / static_cast<float>(spec.cols))};
}

void draw(const TensorSpec& spec, std::uint64_t seed, std::uint32_t first, std::span<float> out)
{
    const std::uint64_t key = mix(mix(mix(seed) + spec.kind) + spec.layer);
    const Spread spread = spread_of(spec);
    const std::uint64_t begin = std::uint64_t{first} * spec.cols;
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = spread.centre + spread.width * uniform(key, begin + i);
    }
}

} // namespace

ModelSource synthetic_source(const ModelShape& shape, const SyntheticOptions& options)
{
    check_shape(shape, options.name);
    return {.shape = shape,
            .name = options.name,
            .tokenizer = Tokenizer::numbers(shape.vocab, options.name),
            .phases = shape.rotated() ? rope_phases(shape.rotary(), rope_theta)
                                      : std::vector<std::uint32_t>{},
            .local_phases = shape.local_phases ? rope_phases(shape.rotary(), local_theta)
                                               : std::vector<std::uint32_t>{},
            .rows = [seed = options.seed](const TensorSpec& spec, std::uint32_t first,
                                          std::span<float> out) { draw(spec, seed, first, out); }};
}

std::vector<std::uint8_t> import_synthetic(const ModelShape& shape, const SyntheticOptions& options)
{
    return image_in_memory(synthetic_source(shape, options), options.weights);
}

} // namespace levee
