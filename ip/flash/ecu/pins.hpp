// SPDX-License-Identifier: Apache-2.0
// The boundary of the error correction unit's RTL (rtl/flash_ecu/flash_ecu.sv): its pins. A design
// with these ports can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "ip/flash/ecc/page_code.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace levee::flash::ecu {

/// Most bytes that a design may take in a cycle.
inline constexpr std::uint32_t most_beat_bytes = 16;

using Beat = std::array<std::uint8_t, most_beat_bytes>;

/// The pages that a design decodes, and the bytes of a beat.
struct Shape {
    CodeFormat format;
    std::uint32_t beat_bytes = 0;

    [[nodiscard]] std::uint32_t page_beats() const { return format.page_bytes / beat_bytes; }
    /// Beats of a page's code; the last one is filled up.
    [[nodiscard]] std::uint64_t code_beats() const
    {
        return (format.code_bytes() + beat_bytes - 1) / beat_bytes;
    }
    /// Values of a beat.
    [[nodiscard]] std::uint32_t lanes() const { return beat_bytes * 8 / format.value_bits; }
};

/// Inputs driven in one clock cycle; names as in the RTL.
struct Inputs {
    bool in_valid = false;
    Beat in_data{};
    bool out_ready = false;
    bool done_ready = false;
};

struct Outputs {
    bool in_ready = false;
    bool out_valid = false;
    Beat out_data{};
    bool out_last = false;
    bool done_valid = false;
    DecodeCounts counts;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t page_bytes, value_bits, address_bits, records, threshold_copies, value_copies,
        beat_bytes;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr Shape size_of(const DesignParameters& design)
{
    return {{design.page_bytes, design.value_bits, design.address_bits, design.records,
             design.threshold_copies, design.value_copies},
            design.beat_bytes};
}

struct Ports {
    using Inputs = ecu::Inputs;
    using Outputs = ecu::Outputs;
    using Size = Shape;

    static void visit(const Outputs& out, const Size& size, const PinVisitor& pin)
    {
        const auto show = [&pin](const char* port, unsigned bits, std::uint64_t value) {
            const auto word = static_cast<std::uint32_t>(value);
            pin(port, bits, {&word, 1});
        };
        std::array<std::uint32_t, sizeof(Beat) / sizeof(std::uint32_t)> data{};
        std::memcpy(data.data(), out.out_data.data(), sizeof data);
        show("in_ready_o", 1, out.in_ready);
        show("out_valid_o", 1, out.out_valid);
        pin("out_data_o", size.beat_bytes * 8, data);
        show("out_last_o", 1, out.out_last);
        show("done_valid_o", 1, out.done_valid);
        show("corrected_addresses_o", 32, out.counts.corrected_addresses);
        show("dropped_o", 32, out.counts.dropped);
        show("outside_o", 32, out.counts.outside);
        show("duplicates_o", 32, out.counts.duplicates);
        show("corrected_values_o", 32, out.counts.corrected_values);
        show("clamped_o", 32, out.counts.clamped);
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs that can replace the error correction unit, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::flash::ecu
