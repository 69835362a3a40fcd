// SPDX-License-Identifier: Apache-2.0
// The boundary of the RTL (rtl/cpq/cpq.sv): its pins. A design with these ports can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "ip/cpq/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::cpq {

/// What the scale-zero buffer has of a channel for the quantisation unit. Numbers are FP32 bits.
struct LaneEntry {
    std::uint32_t levels = 0;
    bool ranged = false; ///< min and max are those of values seen before level 0 is made
    std::uint32_t min = 0, max = 0, low = 0, high = 0, reciprocal = 0;
    std::int32_t zero = 0;

    bool operator==(const LaneEntry&) const = default;
};

enum class GroupKind : std::uint8_t { Range, Open, Quantise };

/// A value, and its channel's entry, for each lane.
struct Group {
    GroupKind kind = GroupKind::Range;
    Settings settings;
    std::vector<std::uint32_t> values; ///< FP32 bits
    std::vector<LaneEntry> entries;
    std::uint32_t openings = 0; ///< levels that it makes (group_result), for Boundary
};

/// A level that is made, for the scale-zero buffer.
struct MadeLevel {
    std::uint32_t lane = 0, label = 0;
    std::uint32_t step = 0; ///< FP32 bits
    std::int32_t zero = 0;

    bool operator==(const MadeLevel&) const = default;
};

struct LaneResult {
    bool survives = false, stored = false, opened = false, clamped = false;
    std::uint8_t code = 0, label = 0; ///< of a stored value
    LaneEntry entry;

    bool operator==(const LaneResult&) const = default;
};

/// Inputs driven in one clock cycle.
struct Inputs {
    const Group* group = nullptr; ///< null: none is offered
    Settings settings;            ///< of the group in work
    bool result_ready = false;
};

struct Outputs {
    bool group_ready = false;
    bool level_valid = false;
    MadeLevel level;
    bool result_valid = false;
    std::vector<LaneResult> lanes; ///< if result_valid
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t lanes;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr std::uint32_t size_of(const DesignParameters& design)
{
    return design.lanes;
}

struct Ports {
    using Inputs = cpq::Inputs;
    using Outputs = cpq::Outputs;
    using Size = std::uint32_t; ///< lanes

    static void visit(const Outputs& out, const Size& lanes, const PinVisitor& pin)
    {
        const auto show = [&pin](const char* port, unsigned bits, std::uint32_t value) {
            pin(port, bits, {&value, 1});
        };
        show("group_ready_o", 1, out.group_ready);
        show("level_valid_o", 1, out.level_valid);
        show("level_lane_o", 16, out.level.lane);
        show("level_label_o", 6, out.level.label);
        show("level_step_o", 32, out.level.step);
        show("level_zero_o", 32, static_cast<std::uint32_t>(out.level.zero));
        show("result_valid_o", 1, out.result_valid);
        visit_lanes(out, lanes, pin);
    }

private:
    /// Visits the ports that have a bit or a byte for each lane, the lowest first.
    static void visit_lanes(const Outputs& out, std::uint32_t lanes, const PinVisitor& pin)
    {
        const auto show = [&](const char* port, unsigned bits, auto member) {
            std::vector<std::uint32_t> words((lanes * bits + 31) / 32);
            for (std::size_t lane = 0; lane < out.lanes.size(); ++lane)
                for (unsigned bit = 0; bit < bits; ++bit) {
                    const std::size_t at = lane * bits + bit;
                    const std::uint32_t value = static_cast<std::uint32_t>(out.lanes[lane].*member);
                    words[at / 32] |= (value >> bit & 1u) << at % 32;
                }
            pin(port, lanes * bits, words);
        };
        show("result_survives_o", 1, &LaneResult::survives);
        show("result_stored_o", 1, &LaneResult::stored);
        show("result_opened_o", 1, &LaneResult::opened);
        show("result_clamped_o", 1, &LaneResult::clamped);
        show("result_codes_o", 8, &LaneResult::code);
        show("result_labels_o", 6, &LaneResult::label);
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs that can replace the pruning and quantisation units, as listed in CMakeLists.txt; the
/// first is the paper's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::cpq
