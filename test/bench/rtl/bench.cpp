// SPDX-License-Identifier: Apache-2.0
// Prints the simulation speed of the RTL of the evictor and of flash's error correction unit. The
// RTL runs in place of the block's reference, in lockstep, and in cosim.
#include "core/rtl/bench.hpp"

#include "ip/flash/ecu/pins.hpp"
#include "ip/flash/ecu/rtl.hpp"
#include "ip/systolic_evictor/pins.hpp"
#include "ip/systolic_evictor/rtl.hpp"
#include "platform/studies/cosim/cosim.hpp"

#include <cstdio>
#include <ctime>
#include <vector>

namespace {

using namespace levee;
using systolic_evictor::RtlEngine;

double cpu_seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void show(const char* what, std::uint64_t cycles, double seconds)
{
    std::printf("%-28s %6.2f Mcycle/s\n", what, static_cast<double>(cycles) / seconds / 1e6);
}

/// Rows of scores have 2048 tokens, as with PG19's budget (Kelle, section 7.1).
void bench_engine(const char* what, RtlEngine::Mode mode)
{
    constexpr std::size_t tokens = 2048;
    constexpr std::uint64_t cycles = 4'000'000;
    RtlEngine engine("evictor", systolic_evictor::designs()[0].make, mode);
    std::vector<std::uint16_t> importance(tokens), scores(tokens);
    std::vector<std::uint8_t> is_protected(tokens);
    std::uint32_t random = 1;
    for (std::size_t i = 0; i < tokens; ++i) {
        random = random * 1664525 + 1013904223;
        scores[i] = static_cast<std::uint16_t>(random >> 24);
        is_protected[i] = i < 10 || i >= tokens / 2 ? 1 : 0;
    }
    const double begun = cpu_seconds();
    while (engine.rtl_cycles() < cycles)
        (void)engine.pass({LEVEE_SE_SOFTMAX, importance, is_protected, scores});
    show(what, engine.rtl_cycles(), cpu_seconds() - begun);
}

/// Each page has 16 KB and no errors.
void bench_decoder(const char* what, RtlMode mode)
{
    constexpr std::uint64_t cycles = 4'000'000;
    const flash::ecu::Design& design = flash::ecu::designs()[0];
    flash::ecu::RtlDecoder decoder("flash", design.make, mode);
    std::vector<std::uint8_t> page(design.size.format.page_bytes);
    for (std::size_t i = 0; i < page.size(); ++i)
        page[i] = static_cast<std::uint8_t>(i * i >> 8);
    const std::vector<std::uint8_t> code = encode_page(design.size.format, page);
    const double begun = cpu_seconds();
    while (decoder.rtl_cycles() < cycles)
        (void)decoder.decode(page, code);
    show(what, decoder.rtl_cycles(), cpu_seconds() - begun);
}

/// Returns whether the design differs from its reference.
bool bench_cosim(const char* what, cosim::Bench& bench, std::uint64_t operations)
{
    const double begun = cpu_seconds();
    const cosim::Report report = cosim::run(bench, {operations, 1, true, true});
    show(what, report.cycles, cpu_seconds() - begun);
    return report.differs();
}

} // namespace

int main()
{
    bench_engine("evictor, impl: rtl", RtlEngine::Mode::Rtl);
    bench_engine("evictor, impl: lockstep", RtlEngine::Mode::Lockstep);
    bench_decoder("flash_ecu, impl: rtl", RtlMode::Rtl);
    bench_decoder("flash_ecu, impl: lockstep", RtlMode::Lockstep);
    const auto evictor =
        systolic_evictor::Ports::make_bench(systolic_evictor::designs()[0].make_checked, {});
    const auto unit = flash::ecu::Ports::make_bench(flash::ecu::designs()[0].make_checked, {});
    const bool differs = bench_cosim("evictor, levee cosim", *evictor, 5000);
    return bench_cosim("flash_ecu, levee cosim", *unit, 300) || differs ? 1 : 0;
}
