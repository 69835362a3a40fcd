// SPDX-License-Identifier: Apache-2.0
// The arrays' pins on a Verilated design (ip/common/verilated_pins.hpp).
#include "ip/common/verilated_pins.hpp"

#include "ip/veda/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <cstring>
#include <type_traits>
#include <vector>

namespace levee::veda {

namespace {

constexpr ArrayShape design_shape{
    2,
    LEVEE_DESIGN_Rows,
    LEVEE_DESIGN_Cols,
    {LEVEE_DESIGN_MulStages, LEVEE_DESIGN_TreeStages, LEVEE_DESIGN_RoundStages},
    LEVEE_DESIGN_PartialSums};

/// 16-bit lanes, lowest first: the same layout in a port and on the host.
template <std::size_t words>
void store(VlWide<words>& port, const std::vector<std::uint16_t>& lanes)
{
    static_assert(words * sizeof(EData) == design_shape.lanes() * sizeof(std::uint16_t));
    std::memcpy(port.data(), lanes.data(), words * sizeof(EData));
}

/// One bit a lane.
template <typename Port> void store_bits(Port& port, const std::vector<std::uint8_t>& lanes)
{
    constexpr std::size_t word_bits = 32;
    std::uint32_t words[(design_shape.lanes() + word_bits - 1) / word_bits] = {};
    for (std::size_t i = 0; i < lanes.size(); ++i)
        words[i / word_bits] |= static_cast<std::uint32_t>(lanes[i]) << i % word_bits;
    if constexpr (std::is_integral_v<Port>)
        port = static_cast<Port>(words[0]);
    else
        std::memcpy(port.data(), words, sizeof words);
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
