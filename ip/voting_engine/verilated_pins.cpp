// SPDX-License-Identifier: Apache-2.0
// The voting engine's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "ip/voting_engine/pins.hpp"

#include LEVEE_DESIGN_HEADER

namespace levee::voting_engine {

namespace {

static_assert(LEVEE_DESIGN_Capacity >= 4 && LEVEE_DESIGN_Capacity <= 32768,
              "a capacity of 4 to 32768");

struct Wiring {
    using Ports = voting_engine::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr std::uint32_t size = size_of({LEVEE_DESIGN_Capacity});

    /// As the port's type, which depends on the capacity.
    template <typename Port> static void set(Port& port, std::uint16_t value)
    {
        port = static_cast<Port>(value);
    }

    static void drive(Top& top, const Inputs& in)
    {
        top.cmd_valid_i = in.cmd_valid;
        top.cmd_elect_i = in.cmd_elect;
        set(top.cmd_length_i, in.cmd_length);
        top.cmd_first_i = in.cmd_first;
        top.cmd_last_i = in.cmd_last;
        set(top.cmd_slots_i, in.cmd_slots);
        top.cmd_mean_factor_i = in.cmd_mean_factor;
        top.cmd_deviation_factor_i = in.cmd_deviation_factor;
        top.cmd_protect_i = in.cmd_protect;
        top.slot_valid_i = in.slot_valid;
        top.slot_position_i = in.slot_position;
        top.element_valid_i = in.element_valid;
        top.element_i = in.element;
        top.count_valid_i = in.count_valid;
        top.count_i = in.count;
        top.store_ready_i = in.store_ready;
        top.result_ready_i = in.result_ready;
    }

    static Outputs sample(const Top& top)
    {
        return {top.cmd_ready_o != 0,   top.slot_ready_o != 0,   top.element_ready_o != 0,
                top.count_ready_o != 0, top.store_valid_o != 0,  top.store_o,
                top.store_last_o != 0,  top.result_valid_o != 0, top.result_found_o != 0,
                top.result_index_o};
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::voting_engine
