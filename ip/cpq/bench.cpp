// SPDX-License-Identifier: Apache-2.0
// Random tests of the pruning and quantisation units. Each operation has one to five groups of
// arbitrary kinds, back to back; a long stay has hundreds. Channel entries are arbitrary but valid.
#include "core/rtl/bench.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/cpq/driver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace levee::cpq {

namespace {

using namespace cosim;

std::uint32_t bits_of(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

/// Draws a number. With `far`, the exponent is any valid one; otherwise, it is from -3 to 2.
float draw_number(Draw& draw, bool far)
{
    const float significand = 1 + unit_interval(draw.word());
    const int exponent =
        far ? static_cast<int>(draw.below(121)) - 60 : static_cast<int>(draw.below(6)) - 3;
    return std::ldexp(draw.one_in(2) ? -significand : significand, exponent);
}

std::uint32_t draw_corner(Draw& draw)
{
    constexpr std::uint32_t corners[] = {0x00000000, 0x80000000, 0x00000001, 0x7F800000,
                                         0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF,
                                         0x217FFFFF, 0x21800000, 0xA1800000, 0x5D800000,
                                         0x5D7FFFFF, 0x5D800001, 0xDD800000};
    return corners[draw.below(std::size(corners))];
}

Settings draw_settings(Draw& draw)
{
    Settings settings;
    settings.bits = 1 + draw.below(most_bits);
    settings.max_levels = draw.one_in(4) ? most_levels : 1 + draw.below(4);
    settings.threshold = draw.one_in(3) ? 0 : std::fabs(draw_number(draw, draw.one_in(4)));
    if (!draw.one_in(3))
        settings.tolerance = std::ldexp(1 + unit_interval(draw.word()),
                                        static_cast<int>(draw.below(draw.one_in(2) ? 20 : 5)) -
                                            (draw.one_in(4) ? 20 : 4));
    settings.tolerance = settings.tolerance == 0
                             ? 0
                             : std::clamp(settings.tolerance, least_tolerance, greatest_tolerance);
    return settings;
}

/// Draws the entry of a channel with some levels. The last level covers two values.
LaneEntry draw_entry(Draw& draw, const Settings& settings, bool far)
{
    if (draw.one_in(5))
        return {};
    float min = to_value(draw_number(draw, far)), max = to_value(draw_number(draw, far));
    if (draw.one_in(6))
        max = min;
    if (draw.one_in(6)) // A narrow range far from 0.
        max = min * (1 + static_cast<float>(draw.below(16)) * 0x1p-14f);
    max = to_value(max);
    if (min > max)
        std::swap(min, max);
    if (draw.one_in(4)) { // With a step of 1, codes can be exactly between two integers.
        min = static_cast<float>(draw.below(600)) - 300;
        max = min + static_cast<float>((1u << settings.bits) - 1);
    }
    if (settings.bits == 1 && draw.one_in(2)) { // The largest significand of a reciprocal.
        const bool up = draw.one_in(2);
        min = up ? -0x1p-23f : -1;
        max = up ? 1 : 0x1p-23f;
    }
    const Level level = make_level(min, max, settings);
    LaneEntry entry = entry_of({&level, 1});
    entry.levels = 1 + draw.below(settings.max_levels);
    if (draw.one_in(2))
        entry.levels = settings.max_levels - (draw.one_in(2) && settings.max_levels > 1 ? 1 : 0);
    return entry;
}

/// Draws a value near the ends of the entry's range, a value between two of its codes, or an
/// arbitrary value.
std::uint32_t draw_value(Draw& draw, const Settings& settings, const LaneEntry& entry, bool far)
{
    if (draw.one_in(10))
        return draw_corner(draw);
    if (draw.one_in(8)) // Near the threshold.
        return bits_of(settings.threshold) + draw.below(3) - 1 + (draw.below(2) << 31);
    if (entry.levels == 0 || draw.one_in(4))
        return bits_of(draw_number(draw, far));
    const std::uint32_t ends[] = {entry.low, entry.high, entry.min, entry.max};
    if (draw.one_in(3))
        return ends[draw.below(4)] + draw.below(3) - 1;
    const float min = std::bit_cast<float>(entry.min), max = std::bit_cast<float>(entry.max);
    if (draw.one_in(4)) // Multiples of a quarter step.
        return bits_of(std::round(4 * (min + unit_interval(draw.word()) * (max - min))) / 4);
    if (draw.one_in(settings.bits == 1 ? 2
                                       : 6)) { // Near the largest distinguishable number of steps.
        const float steps = 262144.0f - static_cast<float>(draw.below(8)) / 16;
        return bits_of(
            std::ldexp(draw.one_in(2) ? -steps : steps, -static_cast<int>(draw.below(2))) /
            std::bit_cast<float>(entry.reciprocal));
    }
    const float share = draw.one_in(3) ? static_cast<float>(draw.below(511)) / 510.0f
                                       : unit_interval(draw.word()) * 1.2f - 0.1f;
    return bits_of(min + share * (max - min));
}

/// Makes every lane of a QUANTISE group open its first level: no channel has a level, and every
/// value survives pruning. With many lanes, this hardly ever happens by chance.
void open_all(Draw& draw, Group& group)
{
    if (group.kind != GroupKind::Quantise)
        return;
    const float threshold = std::max(group.settings.threshold, 0x1p-20f);
    for (std::size_t lane = 0; lane < group.values.size(); ++lane) {
        group.entries[lane] = {};
        group.values[lane] = bits_of(threshold * (2 + unit_interval(draw.word())));
    }
    group.openings = static_cast<std::uint32_t>(group_result(group).levels.size());
}

/// Draws a group with arbitrary entries. RANGE and OPEN have no levels yet.
Group draw_group(Draw& draw, const Settings& settings, std::uint32_t lanes)
{
    Group group;
    group.kind = static_cast<GroupKind>(draw.one_in(2) ? 2 : draw.below(3));
    group.settings = settings;
    const bool far = draw.one_in(3), calm = draw.one_in(2);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        LaneEntry entry = draw_entry(draw, settings, far);
        const std::uint32_t value = draw_value(draw, settings, entry, far);
        if (group.kind != GroupKind::Quantise) {
            entry.ranged = entry.levels != 0 && !(group.kind == GroupKind::Open && draw.one_in(3));
            entry.levels = 0;
        }
        const bool quiet = calm && !draw.one_in(4);
        group.entries.push_back(quiet && group.kind == GroupKind::Open ? LaneEntry{} : entry);
        group.values.push_back(quiet ? 0 : value);
    }
    group.openings = static_cast<std::uint32_t>(group_result(group).levels.size());
    return group;
}

std::string describe(std::span<const Group> groups)
{
    const char* const kinds[] = {"RANGE", "OPEN", "QUANTISE"};
    std::string text;
    for (const Group& group : groups)
        text += (text.empty() ? "" : ", ") + std::string(kinds[static_cast<unsigned>(group.kind)]) +
                " with " + std::to_string(group.openings) + " levels";
    return text;
}

Drawn<std::vector<Group>> draw_groups(Draw& draw, std::uint64_t index, std::uint32_t lanes)
{
    Drawn<std::vector<Group>> drawn;
    const std::uint32_t groups = 1 + draw.below(5);
    Settings settings = draw_settings(draw);
    for (std::uint32_t i = 0; i < groups; ++i) {
        if (draw.one_in(4))
            settings = draw_settings(draw);
        drawn.work.push_back(draw_group(draw, settings, lanes));
    }
    drawn.draw_gates(draw);
    if (draw.one_in(8))
        drawn.most_cycles = 1 + draw.below(120);
    if (index % 64 == 63)
        for (Group& group : drawn.work)
            open_all(draw, group);
    if (is_long_stay(index)) { // One long run of groups with the same settings.
        for (std::uint32_t i = draw_stay(draw); i > 0; --i)
            drawn.work.push_back(draw_group(draw, settings, lanes));
        drawn.most_cycles = UINT64_MAX;
        drawn.text =
            std::to_string(drawn.work.size()) + " groups; the last ones have the same settings";
    } else
        drawn.text = describe(drawn.work);
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_groups>>(make, options);
}

} // namespace levee::cpq
