// SPDX-License-Identifier: Apache-2.0
// The boundary of the RTL (rtl/cpq/cpq.sv): its pins. A design with these ports can replace it.
#pragma once

#include "ip/common/rtl_pins.hpp"
#include "ip/cpq/model.hpp"

#include <cstdint>
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

struct Ports {
    using Inputs = cpq::Inputs;
    using Outputs = cpq::Outputs;
    using Size = std::uint32_t; ///< lanes
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;

} // namespace levee::cpq
