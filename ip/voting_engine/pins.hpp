// SPDX-License-Identifier: Apache-2.0
// The boundary of the voting engine's RTL (rtl/voting_engine/voting_engine.sv): its pins. A design
// with these ports can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"

#include <cstdint>
#include <span>

namespace levee::voting_engine {

/// Inputs driven in one clock cycle; names as in the RTL.
struct Inputs {
    bool cmd_valid = false;
    bool cmd_elect = false;
    std::uint16_t cmd_length = 1;
    bool cmd_first = false;
    bool cmd_last = false;
    std::uint16_t cmd_slots = 1;
    std::uint32_t cmd_mean_factor = 0; ///< FP32 without its sign
    std::uint32_t cmd_deviation_factor = 0;
    std::uint32_t cmd_protect = 0;

    bool slot_valid = false;
    std::uint32_t slot_position = 0;

    bool element_valid = false;
    std::uint16_t element = 0; ///< FP16

    bool count_valid = false;
    std::uint16_t count = 0;

    bool store_ready = false;
    bool result_ready = false;
};

struct Outputs {
    bool cmd_ready = false;
    bool slot_ready = false;
    bool element_ready = false;
    bool count_ready = false;

    bool store_valid = false;
    std::uint16_t store = 0;
    bool store_last = false;

    bool result_valid = false;
    bool result_found = false;
    std::uint16_t result_index = 0;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t capacity;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr std::uint32_t size_of(const DesignParameters& design)
{
    return design.capacity;
}

struct Ports {
    using Inputs = voting_engine::Inputs;
    using Outputs = voting_engine::Outputs;
    using Size = std::uint32_t; ///< elements of the FIFO, up to 32768

    static void visit(const Outputs& out, const Size&, const PinVisitor& pin)
    {
        const auto show = [&pin](const char* port, unsigned bits, std::uint32_t value) {
            pin(port, bits, {&value, 1});
        };
        show("cmd_ready_o", 1, out.cmd_ready);
        show("slot_ready_o", 1, out.slot_ready);
        show("element_ready_o", 1, out.element_ready);
        show("count_ready_o", 1, out.count_ready);
        show("store_valid_o", 1, out.store_valid);
        show("store_o", 16, out.store);
        show("store_last_o", 1, out.store_last);
        show("result_valid_o", 1, out.result_valid);
        show("result_found_o", 1, out.result_found);
        show("result_index_o", 16, out.result_index);
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs that can replace the voting engine, as listed in CMakeLists.txt; the first is the
/// paper's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::voting_engine
