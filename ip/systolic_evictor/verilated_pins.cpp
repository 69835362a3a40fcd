// SPDX-License-Identifier: Apache-2.0
// The evictor's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "core/memory/port_bytes.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <cstddef>

namespace levee::systolic_evictor {

namespace {

static_assert(LEVEE_DESIGN_Rows >= 3 && LEVEE_DESIGN_Rows <= most_rows, "Rows: expected 3 to 64");

struct Wiring {
    using Ports = systolic_evictor::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr std::size_t size = size_of({LEVEE_DESIGN_Rows});

    static void drive(Top& top, const Inputs& in)
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
        store_bytes(top.row_score_i, in.row_score.data(), size * sizeof in.row_score[0]);
        top.result_ready_i = in.result_ready;
        top.update_ready_i = in.update_ready;
    }

    static Outputs sample(const Top& top)
    {
        return {top.cmd_ready_o != 0,  top.load_ready_o != 0,   top.score_ready_o != 0,
                top.wave_ready_o != 0, top.result_valid_o != 0, top.result_found_o != 0,
                top.result_min_o,      top.result_index_o,      top.update_valid_o != 0,
                top.update_score_o,    top.update_last_o != 0};
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::systolic_evictor
