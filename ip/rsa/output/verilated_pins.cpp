// SPDX-License-Identifier: Apache-2.0
// The output-stationary array's pins on a Verilated design (core/rtl/verilated_pins.hpp).
#include "core/rtl/verilated_pins.hpp"

#include "core/memory/port_bytes.hpp"
#include "ip/rsa/output/pins.hpp"

#include LEVEE_DESIGN_HEADER

#include <algorithm>
#include <cstring>

namespace levee::rsa::output {

namespace {

constexpr Shape design_shape = size_of({LEVEE_DESIGN_Rows, LEVEE_DESIGN_Cols});
static_assert(std::min(design_shape.rows, design_shape.columns) >= 2 &&
                  std::max(design_shape.rows, design_shape.columns) <= most_lanes,
              "Rows, Cols: expected 2 to 32");

struct Wiring {
    using Ports = output::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr Shape size = design_shape;

    static void drive(Top& top, const Inputs& in)
    {
        top.load_valid_i = in.load != nullptr;
        if (in.load != nullptr) {
            top.load_signed_i = in.load->is_signed;
            top.load_nibbles_i = in.load->has_nibbles;
            store_bytes(top.load_data_i, in.load->bytes.data(), size.columns);
        }
        top.in_valid_i = in.wave != nullptr;
        top.in_next_i = in.wave != nullptr && in.wave->is_next;
        top.in_leave_i = in.wave != nullptr && in.wave->leaves;
        if (in.wave != nullptr) {
            top.in_signed_i = in.wave->is_signed;
            store_bytes(top.in_data_i, in.wave->bytes.data(), size.rows);
            top.in_shift_i = in.wave->shift;
            top.in_first_i = in.wave->begins;
            top.in_rows_i = in.wave->rows;
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
        const auto* const bytes = reinterpret_cast<const unsigned char*>(&top.out_sums_o);
        for (std::uint32_t lane = 0; out.lanes != 0 && lane < size.columns; ++lane)
            out.sums[lane] = sum_at(bytes + lane * sum_bits / 8);
        return out;
    }

    static std::int64_t sum_at(const unsigned char* bytes)
    {
        std::uint64_t sum = 0;
        std::memcpy(&sum, bytes, sum_bits / 8);
        return static_cast<std::int64_t>(sum << (64 - sum_bits)) >> (64 - sum_bits);
    }
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<Wiring>;

} // namespace levee::rsa::output
