// SPDX-License-Identifier: Apache-2.0
// bench_veda [MULTIPLY_ADDS]: prints the host speed of the Verilated arrays in each configuration.
// Then compares random multiply-adds (10 million) with the reference. Exits with 1 if there is a
// difference.
#include "ip/veda/pins.hpp"
#include "ip/veda/rtl.hpp"
#include "test/rtl/veda/arithmetic.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

using namespace levee;
using namespace levee::veda;

namespace {

double processor_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<std::uint16_t> random_numbers(std::size_t count)
{
    std::mt19937_64 random(1);
    std::vector<std::uint16_t> numbers(count);
    for (std::uint16_t& number : numbers) // Exponents give magnitudes from 2^-7 to 2^8.
        number = static_cast<std::uint16_t>((random() & 0x83FF) | (8 + random() % 16) << 10);
    return numbers;
}

/// Runs a GEMV that keeps all lanes busy.
void measure(const char* name, const Configuration& configuration, RtlCore::Mode mode)
{
    constexpr std::uint32_t cycles = 40'000;
    const Design& design = designs().front();
    const ArrayShape& shape = design.size;
    RtlCore rtl("bench", design.make, mode);
    const std::uint32_t lanes = product_lanes(shape, configuration);
    const bool inner = configuration.mode == Mode::Inner;
    const std::uint32_t rows = 64;
    const std::vector<std::uint16_t> a = random_numbers(std::max(lanes, rows));
    const std::vector<std::uint16_t> b = random_numbers(std::size_t{rows} * lanes);
    std::vector<std::uint32_t> out(std::max(lanes, rows));
    const Product product{
        inner ? lanes : rows, inner ? rows : lanes, a.data(), b.data(), lanes, inner, out.data()};
    const std::vector<Product> products(configuration.split ? shape.arrays : 1, product);
    const double begun = processor_seconds();
    rtl.begin(configuration);
    for (std::uint32_t done = 0; done < cycles; done += rows)
        rtl.run(products);
    (void)rtl.finish();
    const double seconds = processor_seconds() - begun;
    std::printf("%-12s %.3f Mcycle/s, %.1f million multiply-adds a second\n", name,
                static_cast<double>(rtl.rtl_cycles()) / seconds * 1e-6,
                static_cast<double>(rtl.rtl_cycles()) * shape.lanes() / seconds * 1e-6);
}

bool multiply_adds(long count)
{
    test::Arithmetic rtl;
    std::mt19937_64 random(2026);
    const double begun = processor_seconds();
    for (long i = 0; i < count; ++i) {
        const test::Operands operands = test::random_operands(random);
        if (!(rtl(operands) == test::reference(operands))) {
            std::printf("multiply-add %ld differs: a %04x, b %04x, x %08x, y %08x\n", i, operands.a,
                        operands.b, operands.x, operands.y);
            return false;
        }
    }
    std::printf("%ld random multiply-adds agree (%.1f s)\n", count, processor_seconds() - begun);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    const long count = argc > 1 ? std::atol(argv[1]) : 10'000'000;
    constexpr RtlCore::Mode rtl = RtlCore::Mode::Rtl, lockstep = RtlCore::Mode::Lockstep;
    measure("inner", {Mode::Inner, false, true}, rtl);
    measure("inner split", {Mode::Inner, true, true}, rtl);
    measure("outer", {Mode::Outer, false, true}, rtl);
    measure("outer split", {Mode::Outer, true, true}, rtl);
    measure("lockstep", {Mode::Inner, false, true}, lockstep);
    return multiply_adds(count) ? 0 : 1;
}
