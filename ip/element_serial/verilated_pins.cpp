// SPDX-License-Identifier: Apache-2.0
// The element-serial unit's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "ip/element_serial/pins.hpp"

#include LEVEE_DESIGN_HEADER

namespace levee::element_serial {

namespace {

static_assert(LEVEE_DESIGN_Tile >= 8, "Tile: expected 8 or more");

struct Wiring {
    using Ports = element_serial::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr Shape size = size_of({LEVEE_DESIGN_Tile});

    static void drive(Top& top, const Inputs& in)
    {
        top.normalise_i = in.configuration.normalise;
        top.function_i = static_cast<std::uint8_t>(in.configuration.function);
        top.half_i = in.configuration.half;
        top.param_i = in.configuration.param;
        top.count_i = in.configuration.count;
        top.stats_valid_i = in.stats_valid;
        top.stats_first_i = in.stats_first;
        top.stats_second_i = in.stats_second;
        top.in_valid_i = in.in_valid;
        top.in_x_i = in.in.x;
        top.in_gain_i = in.in.gain;
        top.in_addend_i = in.in.addend;
        top.in_last_i = in.in_last;
        top.out_ready_i = in.out_ready;
        top.result_ready_i = in.result_ready;
    }

    static Outputs sample(const Top& top)
    {
        Outputs out;
        out.stats_ready = top.stats_ready_o != 0;
        out.in_ready = top.in_ready_o != 0;
        out.out_valid = top.out_valid_o != 0;
        out.out_data = top.out_data_o;
        out.out_last = top.out_last_o != 0;
        out.result_valid = top.result_valid_o != 0;
        out.result_first = top.result_first_o;
        out.result_second = top.result_second_o;
        return out;
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::element_serial
