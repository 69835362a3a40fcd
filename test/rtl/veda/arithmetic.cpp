// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/veda/arithmetic.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/veda/model.hpp"

#include LEVEE_DESIGN_HEADER

#include <bit>
#include <string>

namespace levee::test {

struct Arithmetic::Design {
    VerilatedContext context;
    std::unique_ptr<LEVEE_DESIGN> top;

    explicit Design(unsigned mutant)
    {
        const std::string plusarg = "+levee_mutant=" + std::to_string(mutant);
        const char* arguments[] = {"levee", plusarg.c_str()};
        context.commandArgs(2, arguments);
        top = std::make_unique<LEVEE_DESIGN>(&context);
    }
};

Arithmetic::Arithmetic(unsigned mutant) : design_(std::make_unique<Design>(mutant)) {}
Arithmetic::~Arithmetic() = default;

Results Arithmetic::operator()(const Operands& operands)
{
    LEVEE_DESIGN& top = *design_->top;
    top.a_i = operands.a;
    top.b_i = operands.b;
    top.x_i = operands.x;
    top.y_i = operands.y;
    top.eval();
    return {top.product_o, top.multadd_o, top.sum_o, top.narrow_o};
}

Results reference(const Operands& operands)
{
    const float product = veda::exact_product(operands.a, operands.b);
    const auto x = std::bit_cast<float>(operands.x);
    const auto y = std::bit_cast<float>(operands.y);
    const auto wide = [](float value) { return std::bit_cast<std::uint32_t>(canonical(value)); };
    return {wide(product), wide(product + x), wide(x + y), veda::result_bits(x, true)};
}

std::vector<std::uint16_t> special_fp16()
{
    std::vector<std::uint16_t> values;
    for (const unsigned magnitude :
         {0x0000u, 0x0001u, 0x0002u, 0x0200u, 0x03FEu, 0x03FFu, 0x0400u, 0x0401u,
          0x07FFu, 0x1400u, 0x3BFFu, 0x3C00u, 0x3C01u, 0x4000u, 0x4200u, 0x77FFu,
          0x7800u, 0x7BFEu, 0x7BFFu, 0x7C00u, 0x7C01u, 0x7DFFu, 0x7E00u, 0x7FFFu})
        for (const unsigned sign : {0u, 0x8000u})
            values.push_back(static_cast<std::uint16_t>(magnitude | sign));
    return values;
}

std::vector<std::uint32_t> special_fp32()
{
    std::vector<std::uint32_t> values;
    for (const std::uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x00000002u, 0x003FFFFFu, 0x00400000u, 0x007FFFFFu, 0x00800000u,
          0x00800001u, 0x00FFFFFFu, 0x01000000u, 0x27800000u, 0x337FFFFFu, 0x33000000u, 0x33000001u,
          0x33800000u, 0x33C00000u, 0x387FC000u, 0x387FDFFFu, 0x387FE000u, 0x387FFFFFu, 0x38800000u,
          0x3F7FFFFFu, 0x3F800000u, 0x3F800001u, 0x3F801000u, 0x3F803000u, 0x477FE000u, 0x477FEFFFu,
          0x477FF000u, 0x47800000u, 0x4B7FFFFFu, 0x4B800000u, 0x7F000000u, 0x7F7FFFFEu, 0x7F7FFFFFu,
          0x7F800000u, 0x7F800001u, 0x7FBFFFFFu, 0x7FC00000u, 0x7FFFFFFFu})
        for (const std::uint32_t sign : {0u, 0x80000000u})
            values.push_back(magnitude | sign);
    return values;
}

namespace {

std::uint16_t random_fp16(std::mt19937_64& random)
{
    static const std::vector<std::uint16_t> special = special_fp16();
    const std::uint64_t bits = random();
    switch (bits >> 61) {
    case 0:
        return special[(bits & 0xFFFF) % special.size()];
    case 1:
        return static_cast<std::uint16_t>(bits & 0x83FF); // These numbers are subnormal.
    case 2:
    case 3:
        return static_cast<std::uint16_t>((bits & 0x87FF) | 0x3800); // These are numbers around 1.
    default:
        return static_cast<std::uint16_t>(bits);
    }
}

/// Returns an FP32 number for which the addition to `near` shifts, cancels or rounds.
std::uint32_t random_fp32(std::mt19937_64& random, std::uint32_t near)
{
    static const std::vector<std::uint32_t> special = special_fp32();
    const std::uint64_t bits = random();
    const auto low = static_cast<std::uint32_t>(bits);
    switch (bits >> 61) {
    case 0:
        return special[(bits & 0xFFFF) % special.size()];
    case 1:
        return low & 0x807FFFFFu; // These numbers are subnormal.
    case 2:
        return (near ^ 0x80000000u) + (low & 0x7u) - 3; // The sum nearly cancels.
    // The exponent is up to 32 away, and few bits are set.
    case 3: {
        const std::uint32_t away = static_cast<std::uint32_t>(bits >> 32 & 0x3F) - 32;
        const std::uint32_t exponent = ((near >> 23) + away) & 0xFFu;
        return (low & 0x80000000u) | exponent << 23 | (low & (low >> 3) & (low << 5) & 0x7FFFFFu);
    }
    case 4:
    case 5: { // These are numbers at the limits of FP16.
        const std::uint32_t exponent =
            (bits >> 32 & 1) != 0 ? 100 + (bits >> 33 & 15) : 138 + (bits >> 33 & 7);
        return (low & 0x80000000u) | exponent << 23 | (low & 0x7FF000u) | ((low & 1) * 0xFFFu);
    }
    default:
        return low;
    }
}

} // namespace

Operands random_operands(std::mt19937_64& random)
{
    Operands operands;
    operands.a = random_fp16(random);
    operands.b = random_fp16(random);
    operands.x = random_fp32(
        random, std::bit_cast<std::uint32_t>(veda::exact_product(operands.a, operands.b)));
    operands.y = random_fp32(random, operands.x);
    return operands;
}

} // namespace levee::test
