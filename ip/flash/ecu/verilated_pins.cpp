// SPDX-License-Identifier: Apache-2.0
// The error correction unit's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "ip/flash/ecu/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <cstring>
#include <type_traits>

namespace levee::flash::ecu {

namespace {

constexpr std::size_t beat_bytes = LEVEE_DESIGN_BeatBytes;

/// Bytes, lowest first: the same layout in a port and on the host.
template <typename Port> auto* bytes_of(Port& port)
{
    static_assert(beat_bytes <= most_beat_bytes, "BeatBytes: at most 16");
    static_assert(sizeof port == beat_bytes, "BeatBytes: a power of two");
    if constexpr (std::is_integral_v<Port>)
        return &port;
    else
        return port.data();
}

struct Wiring {
    using Ports = ecu::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr Shape size = size_of(
        {LEVEE_DESIGN_PageBytes, LEVEE_DESIGN_ValueBits, LEVEE_DESIGN_AddressBits,
         LEVEE_DESIGN_Records, LEVEE_DESIGN_ThresholdCopies, LEVEE_DESIGN_ValueCopies, beat_bytes});

    static void drive(Top& top, const Inputs& in)
    {
        top.in_valid_i = in.in_valid;
        std::memcpy(bytes_of(top.in_data_i), in.in_data.data(), beat_bytes);
        top.out_ready_i = in.out_ready;
        top.done_ready_i = in.done_ready;
    }

    static Outputs sample(const Top& top)
    {
        Outputs out;
        out.in_ready = top.in_ready_o != 0;
        out.out_valid = top.out_valid_o != 0;
        std::memcpy(out.out_data.data(), bytes_of(top.out_data_o), beat_bytes);
        out.out_last = top.out_last_o != 0;
        out.done_valid = top.done_valid_o != 0;
        out.counts = {top.corrected_addresses_o, top.dropped_o,          top.outside_o,
                      top.duplicates_o,          top.corrected_values_o, top.clamped_o};
        return out;
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::flash::ecu
