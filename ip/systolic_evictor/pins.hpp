// SPDX-License-Identifier: Apache-2.0
// The boundary of the evictor's RTL (rtl/systolic_evictor/systolic_evictor.sv): its pins. A design
// with these ports can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace levee::systolic_evictor {

/// Most rows that a design may have here.
inline constexpr std::size_t most_rows = 64;

/// Inputs driven in one clock cycle; names as in the RTL.
struct Inputs {
    bool cmd_valid = false;
    std::uint8_t cmd_rows = 0;
    bool cmd_stream = false;
    std::uint16_t cmd_base = 0;
    bool cmd_signed = false;
    bool cmd_chain = false;
    bool cmd_found = false;
    std::uint16_t cmd_min = 0;
    std::uint16_t cmd_index = 0;

    bool load_valid = false;
    std::uint16_t load_score = 0;
    bool load_protected = false;

    bool score_valid = false;
    std::uint16_t score = 0;

    bool wave_valid = false;
    bool wave_last = false;
    std::array<std::uint16_t, most_rows> row_score{};

    bool result_ready = false;
    bool update_ready = false;
};

struct Outputs {
    bool cmd_ready = false;
    bool load_ready = false;
    bool score_ready = false;
    bool wave_ready = false;

    bool result_valid = false;
    bool result_found = false;
    std::uint16_t result_min = 0;
    std::uint16_t result_index = 0;

    bool update_valid = false;
    std::uint16_t update_score = 0;
    bool update_last = false;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t rows;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr std::size_t size_of(const DesignParameters& design)
{
    return design.rows;
}

struct Ports {
    using Inputs = systolic_evictor::Inputs;
    using Outputs = systolic_evictor::Outputs;
    using Size = std::size_t; ///< rows of a tile

    static void visit(const Outputs& out, const Size&, const PinVisitor& pin)
    {
        const auto show = [&pin](const char* port, unsigned bits, std::uint32_t value) {
            pin(port, bits, {&value, 1});
        };
        show("cmd_ready_o", 1, out.cmd_ready);
        show("load_ready_o", 1, out.load_ready);
        show("score_ready_o", 1, out.score_ready);
        show("wave_ready_o", 1, out.wave_ready);
        show("result_valid_o", 1, out.result_valid);
        show("result_found_o", 1, out.result_found);
        show("result_min_o", 16, out.result_min);
        show("result_index_o", 16, out.result_index);
        show("update_valid_o", 1, out.update_valid);
        show("update_score_o", 16, out.update_score);
        show("update_last_o", 1, out.update_last);
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs that can replace the evictor, as listed in CMakeLists.txt; the first is the block's own.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::systolic_evictor
