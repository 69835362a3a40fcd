// SPDX-License-Identifier: Apache-2.0
#include "test/bench/rtl/bare_evictor.hpp"

#include <Vlevee_rtl_systolic_evictor.h>
#include <cstring>
#include <verilated.h>

namespace levee {

namespace {

using Top = Vlevee_rtl_systolic_evictor;

void drive(Top& top, const systolic_evictor::Inputs& in)
{
    top.cmd_valid_i = in.cmd_valid;
    top.cmd_rows_i = in.cmd_rows;
    top.cmd_stream_i = in.cmd_stream;
    top.cmd_base_i = in.cmd_base;
    top.cmd_signed_i = in.cmd_signed;
    top.cmd_chain_i = in.cmd_chain;
    top.cmd_found_i = in.cmd_found;
    top.cmd_min_i = in.cmd_min;
    top.cmd_index_i = in.cmd_index;
    top.load_valid_i = in.load_valid;
    top.load_score_i = in.load_score;
    top.load_protected_i = in.load_protected;
    top.score_valid_i = in.score_valid;
    top.score_i = in.score;
    top.wave_valid_i = in.wave_valid;
    top.wave_last_i = in.wave_last;
    std::memcpy(&top.row_score_i, in.row_score.data(), sizeof top.row_score_i);
    top.result_ready_i = in.result_ready;
    top.update_ready_i = in.update_ready;
}

} // namespace

std::uint64_t run_bare(std::span<const systolic_evictor::Inputs> inputs)
{
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
        drive(top, in);
        cycle();
        sum += top.update_score_o;
    }
    return sum;
}

} // namespace levee
