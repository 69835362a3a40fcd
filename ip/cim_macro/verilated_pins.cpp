// SPDX-License-Identifier: Apache-2.0
// The macro's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "core/memory/port_bytes.hpp"
#include "ip/cim_macro/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <bit>
#include <cstring>

namespace levee::cim_macro {

namespace {

constexpr Shape design_shape = size_of({LEVEE_DESIGN_Inputs, LEVEE_DESIGN_Outputs});
static_assert(std::has_single_bit(design_shape.inputs) && design_shape.inputs <= most_inputs,
              "Inputs: expected a power of two up to 256");
static_assert(design_shape.outputs >= 1 && design_shape.outputs <= most_outputs,
              "Outputs: expected 1 to 32");
constexpr unsigned sum_bits = 3 * pass_bits + std::bit_width(design_shape.inputs) - 1;

/// `sum_bits` bits of a port from bit `at` on, signed.
template <typename Port> std::int32_t sum_at(const Port& port, unsigned at)
{
    constexpr unsigned word_bits = 32;
    std::uint32_t words[(sizeof(Port) + 3) / 4 + 1] = {};
    std::memcpy(words, &port, sizeof port);
    const std::uint64_t two = words[at / word_bits] | std::uint64_t{words[at / word_bits + 1]}
                                                          << word_bits;
    const auto bits = static_cast<std::uint32_t>(two >> at % word_bits);
    return static_cast<std::int32_t>(bits << (word_bits - sum_bits)) >>
           static_cast<int>(word_bits - sum_bits);
}

struct Wiring {
    using Ports = cim_macro::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr Shape size = design_shape;

    static void drive(Top& top, const Inputs& in)
    {
        top.load_valid_i = in.row != nullptr;
        if (in.row != nullptr) {
            top.load_row_i = in.row->input;
            store_bytes(top.load_weights_i, in.row->weights.data(), size.outputs);
        }
        top.in_valid_i = in.pass != nullptr;
        if (in.pass != nullptr) {
            top.in_signed_i = in.pass->is_signed;
            top.in_last_i = in.pass->is_last;
            store_bytes(top.in_vector_i, in.pass->bytes.data(), size.inputs);
        }
        top.out_ready_i = in.out_ready;
    }

    static Outputs sample(const Top& top)
    {
        Outputs out;
        out.load_ready = top.load_ready_o != 0;
        out.in_ready = top.in_ready_o != 0;
        out.out_valid = top.out_valid_o != 0;
        for (unsigned o = 0; out.out_valid && o < design_shape.outputs; ++o)
            out.sums[o] = sum_at(top.out_sums_o, o * sum_bits);
        return out;
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::cim_macro
