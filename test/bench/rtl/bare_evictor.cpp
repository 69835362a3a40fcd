// SPDX-License-Identifier: Apache-2.0
#include "test/bench/rtl/bare_evictor.hpp"

#include <Vlevee_rtl_systolic_evictor.h>
#include <verilated.h>

namespace levee {

std::uint64_t run_bare(std::span<const systolic_evictor::Inputs> inputs)
{
    using Top = Vlevee_rtl_systolic_evictor;
    constexpr std::size_t rows = sizeof(Top::row_score_i) / sizeof(std::uint16_t);
    VerilatedContext context;
    context.traceEverOn(true);
    Top top(&context);
    const auto cycle = [&top] {
        top.clk_i = 0;
        top.eval();
        top.clk_i = 1;
        top.eval();
    };
    top.rst_ni = 0;
    cycle();
    cycle();
    top.rst_ni = 1;
    std::uint64_t sum = 0;
    for (const systolic_evictor::Inputs& in : inputs) {
        systolic_evictor::Ports::inputs(in, rows, DriveInputs<Top>{top});
        cycle();
        sum += top.update_score_o;
    }
    return sum;
}

} // namespace levee
