// SPDX-License-Identifier: Apache-2.0
// The arrays' pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "core/memory/port_bytes.hpp"
#include "ip/veda/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::veda {

namespace {

constexpr ArrayShape design_shape =
    size_of({LEVEE_DESIGN_Rows, LEVEE_DESIGN_Cols, LEVEE_DESIGN_MulStages, LEVEE_DESIGN_TreeStages,
             LEVEE_DESIGN_RoundStages, LEVEE_DESIGN_PartialSums});

constexpr bool is_side(unsigned lanes)
{
    return std::has_single_bit(lanes) && lanes >= 2 && lanes <= 64;
}
static_assert(is_side(LEVEE_DESIGN_Rows) && is_side(LEVEE_DESIGN_Cols),
              "Rows, Cols: expected powers of two from 2 to 64");

/// One bit a lane.
template <typename Port> void store_bits(Port& port, const std::vector<std::uint8_t>& lanes)
{
    std::uint8_t bytes[(design_shape.lanes() + 7) / 8] = {};
    for (std::size_t i = 0; i < lanes.size(); ++i)
        bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | lanes[i] << i % 8);
    store_bytes(port, bytes, sizeof bytes);
}

/// 16 bits a lane.
template <typename Port> void store(Port& port, const std::vector<std::uint16_t>& lanes)
{
    store_bytes(port, lanes.data(), design_shape.lanes() * sizeof lanes[0]);
}

void drive_beat(LEVEE_DESIGN& top, const Beat& beat)
{
    top.outer_i = beat.configuration.mode == Mode::Outer;
    top.split_i = beat.configuration.split;
    top.narrow_i = beat.configuration.narrow;
    top.en_i = static_cast<CData>(beat.enabled);
    top.first_i = static_cast<CData>(beat.first);
    top.last_i = static_cast<CData>(beat.last);
    top.odd_i = static_cast<CData>(beat.odd);
    top.merge_i = static_cast<CData>(beat.merge);
    store_bits(top.lane_i, beat.lane);
    store(top.a_i, beat.a);
    store(top.b_i, beat.b);
}

struct Wiring {
    using Ports = veda::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr ArrayShape size = design_shape;

    static void drive(Top& top, const Inputs& in)
    {
        top.valid_i = in.beat != nullptr;
        top.ready_i = in.take_result;
        if (in.beat != nullptr)
            drive_beat(top, *in.beat);
    }

    static Outputs sample(const Top& top)
    {
        return {top.ready_o != 0, top.valid_o != 0, top.outer_o != 0, top.en_o,
                top.result_o.data()};
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::veda
