// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/work.hpp"

#include "ip/sfu/declaration.hpp"
#include "ip/sfu/timing.hpp"

namespace levee::sfu {

namespace {

/// Arithmetic events of an element, or of a vector.
struct Counts {
    std::uint64_t multiply_add = 0, divide = 0, exp = 0, sqrt = 0, log = 0;

    Counts operator+(const Counts& other) const
    {
        return {multiply_add + other.multiply_add, divide + other.divide, exp + other.exp,
                sqrt + other.sqrt, log + other.log};
    }
    Counts operator*(std::uint64_t times) const
    {
        return {multiply_add * times, divide * times, exp * times, sqrt * times, log * times};
    }
};

constexpr Counts norm_element{.multiply_add = 2, .divide = 1};
constexpr Counts norm_vector{.multiply_add = 1, .divide = 1, .sqrt = 1};

/// Work of the cap, cap * tanh(x / cap), in each pass that reads x.
constexpr Counts capped_element{.multiply_add = 2, .divide = 2, .exp = 1};

/// Work of ROUTE: computing the scores, and one comparison for each choice.
Counts of_route(const VectorOperation& operation)
{
    const Counts compared{.multiply_add = operation.seed + (operation.bias != 0 ? 1U : 0U)};
    if (operation.has(LEVEE_SFU_SIGMOID))
        return compared + Counts{.multiply_add = 1, .divide = 1, .exp = 1};
    const Counts softmax{.multiply_add = 2, .exp = 1};
    return compared + softmax +
           (operation.weighs_first() ? Counts{.multiply_add = 2, .exp = 1} : Counts{});
}

Counts of_function(const VectorOperation& operation)
{
    const std::uint64_t with_y = operation.y != 0 ? 1 : 0;
    const unsigned with_scale = operation.param != 0.0f ? 1 : 0; // Each element is first multiplied
                                                                 // by param.
    switch (operation.opcode) {
    case LEVEE_SFU_RMS_NORM:
        return norm_element;
    case LEVEE_SFU_LAYER_NORM:
        return {.multiply_add = 4, .divide = 1};
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_PART:
        return {.multiply_add = 4 + with_y + with_scale, .exp = 2};
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return {.multiply_add = 2 + with_y + with_scale, .exp = 1};
    case LEVEE_SFU_SILU_MUL:
        return {.multiply_add = 3, .divide = 1, .exp = 1};
    case LEVEE_SFU_GELU:
        return {.multiply_add = 3}; // Multiply-adds of a table lookup.
    case LEVEE_SFU_GELU_MUL:
        return {.multiply_add = 4};
    case LEVEE_SFU_GELU_TANH:
        return {.multiply_add = 6, .divide = 1, .exp = 1};
    case LEVEE_SFU_GELU_TANH_MUL:
        return {.multiply_add = 7, .divide = 1, .exp = 1};
    case LEVEE_SFU_RELU:
    case LEVEE_SFU_ADD:
        return {.multiply_add = 1};
    case LEVEE_SFU_RELU_MUL:
    case LEVEE_SFU_RELU_SQUARED:
        return {.multiply_add = 2};
    case LEVEE_SFU_EMBED:
        return {.multiply_add = (operation.gain != 0 ? 1u : 0u) + with_y};
    case LEVEE_SFU_ARGMAX:
    case LEVEE_SFU_LOG_PROB:
        return {.multiply_add = 2, .exp = 1};
    case LEVEE_SFU_SAMPLE:
        return {.multiply_add = 4, .divide = 2, .exp = 3};
    case LEVEE_SFU_CLAMPED_MUL:
        return {.multiply_add = 8, .divide = 1, .exp = 1};
    case LEVEE_SFU_ROUTE:
        return of_route(operation);
    case LEVEE_SFU_COMBINE:
        return {.multiply_add = operation.summands()};
    default: // LEVEE_SFU_QUANTISE, and LEVEE_SFU_ROPE, which works on pairs.
        return {};
    }
}

Counts per_element(const VectorOperation& operation)
{
    const Counts function = of_function(operation);
    if (operation.cap != 0.0F && operation.opcode != LEVEE_SFU_CLAMPED_MUL)
        return function + capped_element * passes_of(operation.opcode, false).value();
    const Counts normalised = operation.is_normalised() ? function + norm_element : function;
    const std::uint32_t stages = operation.hadamard_log2();
    // One sum or difference for each stage, and a multiplication by the factor that makes the
    // matrix orthonormal.
    return stages == 0 ? normalised : normalised + Counts{.multiply_add = stages + 1};
}

Counts weights_of_route(const VectorOperation& operation)
{
    if (operation.weighs_first())
        return {.divide = 1 + (operation.param != 0.0F ? operation.seed : 0U)};
    if (operation.has(LEVEE_SFU_SIGMOID))
        return {.divide = operation.param != 0.0F ? operation.seed : 0U};
    return {.divide = operation.seed, .exp = operation.seed};
}

Counts per_vector(const VectorOperation& operation)
{
    if (operation.is_normalised())
        return norm_vector;
    const Counts sink = operation.has_sinks() ? Counts{.multiply_add = 2, .exp = 1} : Counts{};
    switch (operation.opcode) {
    case LEVEE_SFU_RMS_NORM:
        return norm_vector;
    case LEVEE_SFU_LAYER_NORM:
        return {.multiply_add = 1, .divide = 2, .sqrt = 1};
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return Counts{.divide = 1} + sink;
    case LEVEE_SFU_SOFTMAX_PART:
        return Counts{.multiply_add = 4, .divide = 2, .exp = 2} + sink;
    case LEVEE_SFU_ROUTE:
        return weights_of_route(operation);
    case LEVEE_SFU_COMBINE:
        return operation.gain != 0 ? Counts{.multiply_add = 1, .divide = 1, .exp = 1} : Counts{};
    case LEVEE_SFU_ARGMAX:
    case LEVEE_SFU_LOG_PROB:
    case LEVEE_SFU_SAMPLE:
        return {.multiply_add = 3, .log = 1};
    default:
        return {};
    }
}

} // namespace

void count_work(const VectorOperation& operation, std::vector<CountedEvent>& work)
{
    const std::uint8_t opcode = operation.opcode;
    const std::uint64_t vectors = operation.vectors();
    const std::uint64_t elements = vectors * operation.n;
    const Counts each = per_element(operation);
    const Counts once = per_vector(operation);
    const bool coded = operation.has_codes();
    const bool rounded = !operation.is_pick() && operation.out_type == LEVEE_TYPE_FP16;
    const bool decoded = opcode == LEVEE_SFU_EMBED && operation.x_type != LEVEE_TYPE_FP32;
    const auto add = [&work](const EnergyEvent& event, std::uint64_t count) {
        if (count > 0)
            work.push_back({&event, count});
    };
    const std::uint64_t codes = coded ? elements : 0;
    const std::uint64_t rotated = opcode == LEVEE_SFU_ROPE ? vectors * operation.rotated() : 0;
    add(multiply_add_event,
        each.multiply_add * elements + once.multiply_add * vectors + 2 * rotated + codes);
    add(divide_event,
        each.divide * elements + once.divide * vectors + codes + (coded ? vectors : 0));
    add(exp_event, each.exp * elements + once.exp * vectors);
    add(sqrt_event, once.sqrt * vectors);
    add(log_event, once.log * vectors);
    add(sine_cosine_event, rotated / 2);
    add(convert_event, codes + (rounded ? elements : 0) + (decoded ? elements : 0));
}

} // namespace levee::sfu
