// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/common/units.hpp"

#include "core/numerics/numerics.hpp"

#include LEVEE_DESIGN_HEADER

#include <bit>
#include <cmath>
#include <string>

namespace levee::test {

struct FloatUnits::Design {
    VerilatedContext context;
    std::unique_ptr<LEVEE_DESIGN> top;

    explicit Design(unsigned mutant)
    {
        const std::string plusarg = "+levee_mutant=" + std::to_string(mutant);
        const char* arguments[] = {"levee", plusarg.c_str()};
        context.commandArgs(2, arguments);
        context.randReset(2);
        top = std::make_unique<LEVEE_DESIGN>(&context);
        top->rst_ni = 0;
        top->en_i = 1;
        clock();
        top->rst_ni = 1;
    }
    void clock()
    {
        top->clk_i = 0;
        top->eval();
        top->clk_i = 1;
        top->eval();
    }
};

FloatUnits::FloatUnits(unsigned mutant) : design_(std::make_unique<Design>(mutant)) {}
FloatUnits::~FloatUnits() = default;

bool FloatUnits::is_quiet_after_reset(unsigned under_way)
{
    LEVEE_DESIGN& top = *design_->top;
    top.en_i = 1;
    for (unsigned cycle = 0; cycle <= under_way; ++cycle) {
        top.start_i = cycle == 0;
        design_->clock();
    }
    top.start_i = 0;
    top.rst_ni = 0;
    design_->clock();
    top.rst_ni = 1;
    bool is_quiet = true;
    for (int cycle = 0; cycle < 40; ++cycle) {
        is_quiet = is_quiet && !top.quotient_done_o && !top.root_done_o;
        design_->clock();
    }
    return is_quiet;
}

UnitResults FloatUnits::operator()(std::uint32_t a, std::uint32_t b, std::uint32_t stalls)
{
    constexpr std::uint32_t longest = 24;
    LEVEE_DESIGN& top = *design_->top;
    UnitResults results;
    top.a_i = a;
    top.b_i = b;
    top.start_i = 1;
    top.en_i = 1;
    design_->clock();
    results.product = top.product_o;
    results.wide = top.wide_o;
    top.start_i = 0;
    for (std::uint32_t cycle = 1; cycle < longest; ++cycle) {
        while ((stalls & 1u) != 0) {
            top.en_i = 0;
            design_->clock();
            stalls >>= 1;
        }
        stalls >>= 1;
        top.en_i = 1;
        if (top.quotient_done_o && results.quotient_cycles == 0)
            results.quotient_cycles = cycle;
        if (top.root_done_o && results.root_cycles == 0)
            results.root_cycles = cycle;
        design_->clock();
    }
    // Results are kept until the next start.
    results.quotient_cycles = top.quotient_done_o ? results.quotient_cycles : 0;
    results.root_cycles = top.root_done_o ? results.root_cycles : 0;
    results.quotient = top.quotient_o;
    results.root = top.root_o;
    return results;
}

UnitResults units_reference(std::uint32_t a, std::uint32_t b)
{
    const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(canonical(value)); };
    return {bits(x * y),
            bits(x / y),
            bits(std::sqrt(x)),
            bits(fp16_to_fp32(static_cast<std::uint16_t>(a))),
            15,
            15};
}

std::vector<std::uint32_t> special_floats()
{
    std::vector<std::uint32_t> values;
    for (const std::uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x00000002u, 0x00000003u, 0x003FFFFFu, 0x00400000u, 0x007FFFFEu,
          0x007FFFFFu, 0x00800000u, 0x00800001u, 0x00FFFFFFu, 0x01000000u, 0x0D800000u, 0x1FFFFFFFu,
          0x20000000u, 0x33800000u, 0x3EAAAAABu, 0x3F000000u, 0x3F7FFFFFu, 0x3F800000u, 0x3F800001u,
          0x3FFFFFFFu, 0x40000000u, 0x40400000u, 0x40490FDBu, 0x4B7FFFFFu, 0x4B800000u, 0x5F000000u,
          0x5F7FFFFFu, 0x7E800000u, 0x7F000000u, 0x7F7FFFFEu, 0x7F7FFFFFu, 0x7F800000u, 0x7F800001u,
          0x7FC00000u, 0x7FFFFFFFu})
        for (const std::uint32_t sign : {0u, 0x80000000u})
            values.push_back(magnitude | sign);
    return values;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> subnormal_quotients()
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t multiple = 1; multiple < 64; ++multiple)
        for (std::uint32_t divisor = 1; divisor < 24; ++divisor)
            all.emplace_back(multiple, std::bit_cast<std::uint32_t>(static_cast<float>(divisor)));
    return all;
}

std::uint32_t random_float(std::mt19937_64& random)
{
    static const std::vector<std::uint32_t> special = special_floats();
    const std::uint64_t bits = random();
    const auto low = static_cast<std::uint32_t>(bits);
    const auto with_exponent = [&](std::uint32_t exponent) {
        return (low & 0x807FFFFFu) | exponent << 23;
    };
    switch (bits >> 61) {
    case 0:
        return special[(bits & 0xFFFF) % special.size()];
    case 1:
        return (low & 0x807FFFFFu) >> (bits >> 32 & 31u); // Subnormal numbers of any size.
    case 2:                                               // Products and quotients near the limits
                                                          // of the range.
        return with_exponent(static_cast<std::uint32_t>(bits >> 32 & 63u) + 32);
    case 3:
        return with_exponent(static_cast<std::uint32_t>(bits >> 32 & 63u) + 160);
    case 4: // Few set bits, which give exact results and ties.
        return with_exponent(127) & ~((1u << (bits >> 32 & 31u)) - 1u) & 0xFFFFFFFFu;
    case 5:
        return with_exponent(126 + (bits >> 32 & 3u));
    default:
        return low;
    }
}

} // namespace levee::test
