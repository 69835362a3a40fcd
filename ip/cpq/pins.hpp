// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/cpq/model.hpp"

namespace levee::cpq {

struct DesignParameters {
    std::uint32_t Lanes;
};

template <DesignParameters design> consteval std::uint32_t size_of()
{
    static_assert(design.Lanes >= 2, "Lanes: expected 2 or more");
    return design.Lanes;
}

// Fields of a channel's entry, from the highest bits down.
#define LEVEE_CPQ_ENTRY(FIELD)                                                                     \
    FIELD(std::uint32_t, levels, 7)                                                                \
    FIELD(bool, ranged, 1) /* min and max cover the values seen before level 0 is made. */         \
    FIELD(std::uint32_t, min, 32)                                                                  \
    FIELD(std::uint32_t, max, 32)                                                                  \
    FIELD(std::uint32_t, low, 32)                                                                  \
    FIELD(std::uint32_t, high, 32)                                                                 \
    FIELD(std::uint32_t, reciprocal, 32)                                                           \
    FIELD(std::int32_t, zero, 18)
#define LEVEE_FIELD_MEMBER(type, member, bits) type member{};
#define LEVEE_FIELD_BITS(type, member, bits) +bits
#define LEVEE_FIELD_VISIT(type, member, bits) visit(of.member, bits);

/// A channel's entry in the scale-zero buffer, as the quantisation unit gets it. Numbers are FP32
/// bits.
struct LaneEntry {
    LEVEE_CPQ_ENTRY(LEVEE_FIELD_MEMBER)
    bool operator==(const LaneEntry&) const = default;
};
inline constexpr unsigned entry_bits = LEVEE_CPQ_ENTRY(LEVEE_FIELD_BITS);
template <typename Of, typename Visit>
requires std::same_as<const Of, const LaneEntry>
void visit_fields(Of& of, const Visit& visit)
{
    LEVEE_CPQ_ENTRY(LEVEE_FIELD_VISIT)
}

enum class GroupKind : std::uint8_t { Range, Open, Quantise };

#define LEVEE_CPQ_GROUP(PORT, ...)                                                                 \
    PORT(group_kind_i, GroupKind, kind, 2)                                                         \
    PORT(group_values_i, std::vector<std::uint32_t>, values, each(32, size)) /* FP32 bits */       \
    PORT(group_entries_i, std::vector<LaneEntry>, entries, each(entry_bits, size))
/// A value and its channel's entry for each lane.
struct Group {
    LEVEE_MEMBERS(LEVEE_CPQ_GROUP)
    Settings settings;
    /// Number of levels that the group makes (group_result()), for Boundary.
    std::uint32_t openings = 0;
};
LEVEE_PORTS_IN(Group, LEVEE_CPQ_GROUP)

#define LEVEE_CPQ_SETTINGS(PORT, ...)                                                              \
    PORT(bits_i, unsigned, bits, 4)                                                                \
    PORT(max_levels_i, unsigned, max_levels, 7)                                                    \
    PORT(threshold_i, float, threshold, 31)                                                        \
    PORT(tolerance_i, float, tolerance, 31)
LEVEE_PORTS_IN(Settings, LEVEE_CPQ_SETTINGS)

#define LEVEE_CPQ_LEVEL(PORT, ...)                                                                 \
    PORT(level_lane_o, std::uint32_t, lane, clog2(size), "level_valid_o")                          \
    PORT(level_label_o, std::uint32_t, label, 6, "level_valid_o")                                  \
    PORT(level_step_o, std::uint32_t, step, 32, "level_valid_o") /* FP32 bits */                   \
    PORT(level_zero_o, std::int32_t, zero, 18, "level_valid_o")
/// A level that was made, for the scale-zero buffer.
struct MadeLevel {
    LEVEE_MEMBERS(LEVEE_CPQ_LEVEL)
    bool operator==(const MadeLevel&) const = default;
};
LEVEE_PORTS_IN(MadeLevel, LEVEE_CPQ_LEVEL)

// Ports of a lane. Codes and labels are valid if the value is stored.
#define LEVEE_CPQ_LANE(PORT, ...)                                                                  \
    PORT(result_survives_o, bool, survives, 1, "result_valid_o")                                   \
    PORT(result_stored_o, bool, stored, 1, "result_valid_o group_kind_i@group=2")                  \
    PORT(result_opened_o, bool, opened, 1, "result_valid_o")                                       \
    PORT(result_clamped_o, bool, clamped, 1, "result_valid_o group_kind_i@group=2")                \
    PORT(result_codes_o, std::uint8_t, code, 8,                                                    \
         "result_valid_o group_kind_i@group=2 result_stored_o")                                    \
    PORT(result_labels_o, std::uint8_t, label, 6,                                                  \
         "result_valid_o group_kind_i@group=2 result_stored_o")                                    \
    PORT(result_entries_o, LaneEntry, entry, entry_bits, "result_valid_o")
struct LaneResult {
    LEVEE_MEMBERS(LEVEE_CPQ_LANE)
    bool operator==(const LaneResult&) const = default;
};

#define LEVEE_CPQ_INPUTS(PORT, OFFER, PART, ...)                                                   \
    OFFER(group_valid_i, Group, group)                                                             \
    PART(Settings, settings) /* Settings of the current group. */                                  \
    PORT(result_ready_i, bool, result_ready, 1)
#define LEVEE_CPQ_OUTPUTS(PORT, OFFER, PART, EACH)                                                 \
    PORT(group_ready_o, bool, group_ready, 1, "always")                                            \
    PORT(level_valid_o, bool, level_valid, 1, "always")                                            \
    PART(MadeLevel, level)                                                                         \
    PORT(result_valid_o, bool, result_valid, 1, "always")                                          \
    EACH(LaneResult, lanes, size, result_valid, LEVEE_CPQ_LANE)
LEVEE_BOUNDARY(std::uint32_t, LEVEE_CPQ_INPUTS, LEVEE_CPQ_OUTPUTS)

} // namespace levee::cpq
