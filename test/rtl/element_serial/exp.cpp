// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/element_serial/exp.hpp"

#include "core/numerics/numerics.hpp"

#include LEVEE_DESIGN_HEADER

#include <bit>
#include <string>

namespace levee::test {

struct ExpUnit::Design {
    VerilatedContext context;
    std::unique_ptr<LEVEE_DESIGN> top;

    void clock()
    {
        top->clk_i = 0;
        top->eval();
        top->clk_i = 1;
        top->eval();
    }
};

ExpUnit::ExpUnit(unsigned mutant) : design_(std::make_unique<Design>())
{
    const std::string plusarg = "+levee_mutant=" + std::to_string(mutant);
    const char* arguments[] = {"levee", plusarg.c_str()};
    design_->context.commandArgs(2, arguments);
    design_->context.randReset(2);
    design_->top = std::make_unique<LEVEE_DESIGN>(&design_->context);
}
ExpUnit::~ExpUnit() = default;

std::uint32_t ExpUnit::operator()(std::uint32_t x, unsigned stalls)
{
    design_->top->en_i = 0;
    design_->top->x_i = ~x;
    for (unsigned i = 0; i < stalls; ++i)
        design_->clock();
    const std::uint32_t power = design_->top->power_o;
    design_->top->en_i = 1;
    design_->top->x_i = x;
    design_->clock();
    return power;
}

namespace {

/// Adds numbers between -1 and -1/2 whose interpolated power is about half a unit in the last place
/// above a representable number.
void add_near_halves(std::vector<std::uint32_t>& all)
{
    constexpr double units = 8388608.0 * 1.44269504088896340736;
    constexpr std::uint32_t rest = 1u << 14, near = 33;
    for (std::uint32_t entry = 0; entry + 1 < tables::exp2.size(); ++entry) {
        const auto step = static_cast<std::uint32_t>(
            (tables::exp2[entry + 1] - tables::exp2[entry]) * 8388608.0f);
        for (std::uint32_t fraction = 0; fraction < rest; ++fraction) {
            const std::uint32_t below = step * fraction % rest;
            if (below + near < rest / 2 || below > rest / 2 + near)
                continue;
            const double fixed = static_cast<double>(entry * rest + fraction) - 8388608.0;
            all.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(fixed / units)));
        }
    }
}

/// Returns a number of any size, or one at a border of the function.
std::uint32_t random_question(std::mt19937_64& random)
{
    const std::uint64_t bits = random();
    const auto low = static_cast<std::uint32_t>(bits);
    switch (bits >> 61) {
    case 0:
        return low;
    case 1: // x from -112 to -80, where results become subnormal.
        return 0xC2A00000u + (low & 0x3FFFFFu);
    case 2: // Magnitudes from 2^-27 on, just below those whose exp is not 1.
        return (low & 0x807FFFFFu) | (100u + static_cast<std::uint32_t>(bits >> 32 & 31u)) << 23;
    case 3: // These are entries of the table.
        return std::bit_cast<std::uint32_t>(-static_cast<float>(low & 0xFFFFu) *
                                            (0.693147180559945f / 512.0f));
    default:
        return (low & 0x80FFFFFFu) | (121u + static_cast<std::uint32_t>(bits >> 32 & 15u)) << 23;
    }
}

} // namespace

std::vector<std::uint32_t> exp_questions(std::uint32_t seed, std::size_t count)
{
    std::vector<std::uint32_t> all;
    for (const std::uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x327FFFFFu, 0x32FFFFFFu,
          0x33000000u, 0x33317218u, 0x33800000u, 0x33B17218u, 0x3F317217u, 0x3F317218u,
          0x3F800000u, 0x42AEAC4Fu, 0x42AEAC50u, 0x42AFFFFFu, 0x42B00000u, 0x42B0C0A5u,
          0x42B17217u, 0x42B17218u, 0x42B17FFFu, 0x42B18000u, 0x42B18001u, 0x42CE8ECFu,
          0x42CE8ED0u, 0x42CFF1B4u, 0x42CFF1B5u, 0x42CFFFFFu, 0x42D00000u, 0x42D00001u,
          0x43000000u, 0x7F7FFFFFu, 0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu})
        for (const std::uint32_t sign : {0x80000000u, 0u})
            all.push_back(magnitude | sign);
    for (int quarters = -440; quarters < 440; ++quarters) // Many of these are ties.
        all.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(quarters) / 4.0f));
    add_near_halves(all);
    std::mt19937_64 random(seed);
    while (all.size() < count)
        all.push_back(random_question(random));
    return all;
}

std::uint32_t exp_reference(std::uint32_t x)
{
    return std::bit_cast<std::uint32_t>(exp_fp32(std::bit_cast<float>(x)));
}

} // namespace levee::test
