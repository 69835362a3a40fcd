// SPDX-License-Identifier: Apache-2.0
// The boundary of the array's RTL (rtl/rsa/rsa.sv): its pins. A design with these ports can replace
// it.
#pragma once

#include "core/rtl/rtl_pins.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace levee::rsa {

/// Most rows and columns of a design behind these pins.
inline constexpr std::uint32_t most_lanes = 32;

/// Shape of a design.
struct Shape {
    std::uint32_t rows = 0, columns = 0;
    std::uint32_t sums = 0; ///< accumulators of a lane

    [[nodiscard]] constexpr std::uint32_t lanes() const { return std::max(rows, columns); }
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// A row of the stationary operand: a byte of each element, or packed elements of four bits.
struct StoredRow {
    bool is_last = false; ///< of its fold
    bool is_signed = false;
    bool has_nibbles = false;
    std::array<std::uint8_t, most_lanes> bytes{};
};

/// A byte of each of a row of A's elements; 0 where the fold has no element.
struct Wave {
    bool is_last = false; ///< of its fold
    bool is_transposed = false;
    bool is_signed = false;
    std::array<std::uint8_t, most_lanes> bytes{};
    std::uint16_t sum = 0;  ///< accumulators
    bool adds = false;      ///< to what these have
    bool leaves = false;    ///< with complete sums
    std::uint8_t lanes = 0; ///< that have sums
};

/// Inputs driven in one clock cycle. What is offered must outlive it.
struct Inputs {
    const StoredRow* load = nullptr; ///< load_*; null: not valid
    const Wave* wave = nullptr;      ///< in_*; null: not valid
    bool out_ready = false;
};

struct Outputs {
    bool load_ready = false;
    bool in_ready = false;
    std::uint32_t lanes = 0; ///< out_valid, a bit for each
    std::array<std::int32_t, most_lanes> sums{};
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t rows, cols, sums;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr Shape size_of(const DesignParameters& design)
{
    return {design.rows, design.cols, design.sums};
}

struct Ports {
    using Inputs = rsa::Inputs;
    using Outputs = rsa::Outputs;
    using Size = Shape;

    static void visit(const Outputs& out, const Size& size, const PinVisitor& pin)
    {
        const std::uint32_t load = out.load_ready, in = out.in_ready, lanes = size.lanes();
        std::array<std::uint32_t, most_lanes> sums{};
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            sums[lane] = static_cast<std::uint32_t>(out.sums[lane]);
        pin("load_ready_o", 1, {&load, 1});
        pin("in_ready_o", 1, {&in, 1});
        pin("out_valid_o", lanes, {&out.lanes, 1});
        pin("out_sums_o", lanes * 32, std::span(sums).first(lanes));
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs of the array, as listed in CMakeLists.txt; the first is Kelle's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::rsa
