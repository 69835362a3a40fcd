// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/work.hpp"

#include "ip/sfu/declaration.hpp"

namespace levee::sfu {

namespace {

/// Work per element, or per vector.
struct Counts {
    std::uint64_t multiply_add = 0, divide = 0, exp = 0, sqrt = 0, log = 0;
};

Counts per_element(const VectorOperation& operation)
{
    const std::uint64_t with_y = operation.y != 0 ? 1 : 0;
    const unsigned with_scale = operation.param != 0.0f ? 1 : 0; // of a softmax
    switch (operation.opcode) {
    case LEVEE_SFU_RMS_NORM:
        return {.multiply_add = 2, .divide = 1};
    case LEVEE_SFU_LAYER_NORM:
        return {.multiply_add = 4, .divide = 1};
    case LEVEE_SFU_ROPE:
        return {.multiply_add = 2}; // and sine and cosine for each pair
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_PART:
        return {.multiply_add = 4 + with_y + with_scale, .exp = 2};
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return {.multiply_add = 2 + with_y + with_scale, .exp = 1};
    case LEVEE_SFU_SILU_MUL:
        return {.multiply_add = 3, .divide = 1, .exp = 1};
    case LEVEE_SFU_GELU:
        return {.multiply_add = 3}; // by table
    case LEVEE_SFU_RELU:
    case LEVEE_SFU_ADD:
        return {.multiply_add = 1};
    case LEVEE_SFU_EMBED:
        return {.multiply_add = (operation.gain != 0 ? 1u : 0u) + with_y};
    case LEVEE_SFU_ARGMAX:
    case LEVEE_SFU_LOG_PROB:
        return {.multiply_add = 2, .exp = 1};
    case LEVEE_SFU_SAMPLE:
        return {.multiply_add = 4, .divide = 2, .exp = 3};
    default: // LEVEE_SFU_QUANTISE
        return {};
    }
}

Counts per_vector(std::uint8_t opcode)
{
    switch (opcode) {
    case LEVEE_SFU_RMS_NORM:
        return {.multiply_add = 1, .divide = 1, .sqrt = 1};
    case LEVEE_SFU_LAYER_NORM:
        return {.multiply_add = 1, .divide = 2, .sqrt = 1};
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return {.divide = 1};
    case LEVEE_SFU_SOFTMAX_PART:
        return {.multiply_add = 4, .divide = 2, .exp = 2};
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
    const Counts once = per_vector(opcode);
    const bool coded = !operation.is_pick() && operation.is_quantised();
    const bool rounded = !operation.is_pick() && operation.out_type == LEVEE_TYPE_FP16;
    const bool decoded = opcode == LEVEE_SFU_EMBED && operation.x_type != LEVEE_TYPE_FP32;
    const auto add = [&work](const EnergyEvent& event, std::uint64_t count) {
        if (count > 0)
            work.push_back({&event, count});
    };
    const std::uint64_t codes = coded ? elements : 0;
    add(multiply_add_event, each.multiply_add * elements + once.multiply_add * vectors + codes);
    add(divide_event,
        each.divide * elements + once.divide * vectors + codes + (coded ? vectors : 0));
    add(exp_event, each.exp * elements + once.exp * vectors);
    add(sqrt_event, once.sqrt * vectors);
    add(log_event, once.log * vectors);
    add(sine_cosine_event, opcode == LEVEE_SFU_ROPE ? elements / 2 : 0);
    add(convert_event, codes + (rounded ? elements : 0) + (decoded ? elements : 0));
}

} // namespace levee::sfu
