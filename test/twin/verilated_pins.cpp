// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/verilated_pins.hpp"

#include "test/twin/pins.hpp"

#include LEVEE_DESIGN_HEADER

namespace levee::inverter {

namespace {

struct Wiring {
    using Ports = inverter::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr std::uint32_t size = size_of({LEVEE_DESIGN_Width});

    static void drive(Top& top, const Inputs& in)
    {
        top.in_valid_i = in.in_valid;
        // Bits above a port's width must be 0.
        top.in_data_i = in.in_data & (0xFFFFFFFF >> (32 - size));
        top.out_ready_i = in.out_ready;
    }

    static Outputs sample(const Top& top)
    {
        return {top.in_ready_o != 0, top.out_valid_o != 0, top.out_data_o};
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::inverter
