// SPDX-License-Identifier: Apache-2.0
// The array's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "core/memory/port_bytes.hpp"
#include "ip/rsa/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <algorithm>
#include <cstring>

namespace levee::rsa {

namespace {

constexpr Shape design_shape = size_of({LEVEE_DESIGN_Rows, LEVEE_DESIGN_Cols, LEVEE_DESIGN_Sums});
static_assert(std::min(LEVEE_DESIGN_Rows, LEVEE_DESIGN_Cols) >= 2 &&
                  design_shape.lanes() <= most_lanes,
              "Rows, Cols: expected 2 to 32");
// A row of 16-bit elements has four passes, each with a sum of its own.
static_assert(design_shape.sums >= 4, "Sums: expected 4 or more");

struct Wiring {
    using Ports = rsa::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr Shape size = design_shape;

    static void drive(Top& top, const Inputs& in)
    {
        top.load_valid_i = in.load != nullptr;
        if (in.load != nullptr) {
            top.load_last_i = in.load->is_last;
            top.load_signed_i = in.load->is_signed;
            top.load_nibbles_i = in.load->has_nibbles;
            store_bytes(top.load_data_i, in.load->bytes.data(), size.columns);
        }
        top.in_valid_i = in.wave != nullptr;
        top.in_last_i = in.wave != nullptr && in.wave->is_last;
        if (in.wave != nullptr) {
            top.in_transposed_i = in.wave->is_transposed;
            top.in_signed_i = in.wave->is_signed;
            store_bytes(top.in_data_i, in.wave->bytes.data(), size.lanes());
            top.in_sum_i = in.wave->sum;
            top.in_add_i = in.wave->adds;
            top.in_leave_i = in.wave->leaves;
            top.in_lanes_i = in.wave->lanes;
        }
        top.out_ready_i = in.out_ready;
    }

    static Outputs sample(const Top& top)
    {
        Outputs out;
        out.load_ready = top.load_ready_o != 0;
        out.in_ready = top.in_ready_o != 0;
        out.lanes = top.out_valid_o;
        if (out.lanes != 0)
            std::memcpy(out.sums.data(), &top.out_sums_o, size.lanes() * sizeof(std::int32_t));
        return out;
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::rsa
