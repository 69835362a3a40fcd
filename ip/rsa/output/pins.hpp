// SPDX-License-Identifier: Apache-2.0
// The boundary of the output-stationary array's RTL (rtl/rsa_output/rsa_output.sv): its pins. A
// design with these ports can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace levee::rsa::output {

/// Most rows, and most columns, of a design behind these pins.
inline constexpr std::uint32_t most_lanes = 32;

/// Width of a sum.
inline constexpr unsigned sum_bits = 48;

/// Shape of a design.
struct Shape {
    std::uint32_t rows = 0, columns = 0;

    [[nodiscard]] constexpr std::uint32_t lanes() const { return columns; }
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// B's bytes of a k: of each column's element one, or packed elements of four bits.
struct ColumnBytes {
    bool is_signed = false;
    bool has_nibbles = false;
    std::array<std::uint8_t, most_lanes> bytes{};
};

/// A's bytes of a k, of each row of the array: 0 where the fold has none.
struct Wave {
    bool is_next = false; ///< the last wave of the column bytes that it meets
    bool is_signed = false;
    std::array<std::uint8_t, most_lanes> bytes{};
    std::uint8_t shift = 0; ///< of its products, in bytes
    bool begins = false;    ///< sums
    bool leaves = false;    ///< with complete sums:
    std::uint8_t rows = 0;  ///< of so many rows, the lowest of the array,
    std::uint8_t lanes = 0; ///< and columns, the first
};

/// Inputs driven in one clock cycle. What is offered must outlive it.
struct Inputs {
    const ColumnBytes* load = nullptr; ///< load_*; null: not valid
    const Wave* wave = nullptr;        ///< in_*; null: not valid
    bool out_ready = false;
};

struct Outputs {
    bool load_ready = false;
    bool in_ready = false;
    std::uint32_t lanes = 0; ///< out_valid, a bit for each
    std::array<std::int64_t, most_lanes> sums{};
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t rows, cols;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr Shape size_of(const DesignParameters& design)
{
    return {design.rows, design.cols};
}

struct Ports {
    using Inputs = output::Inputs;
    using Outputs = output::Outputs;
    using Size = Shape;

    static void visit(const Outputs& out, const Size& size, const PinVisitor& pin)
    {
        const std::uint32_t load = out.load_ready, in = out.in_ready;
        std::array<std::uint32_t, most_lanes * sum_bits / 32> words{};
        for (std::size_t half = 0; half < size.columns * sum_bits / 16; ++half) {
            const auto sum = static_cast<std::uint64_t>(out.sums[half / 3]);
            words[half / 2] |= static_cast<std::uint32_t>(sum >> 16 * (half % 3) & 0xFFFF)
                               << 16 * (half % 2);
        }
        pin("load_ready_o", 1, {&load, 1});
        pin("in_ready_o", 1, {&in, 1});
        pin("out_valid_o", size.columns, {&out.lanes, 1});
        pin("out_sums_o", size.columns * sum_bits,
            std::span(words).first((size.columns * sum_bits + 31) / 32));
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs of the output-stationary array, as listed in CMakeLists.txt; the first is Kelle's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::rsa::output
