// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/driver.hpp"

#include <algorithm>
#include <utility>

namespace levee::cpq {

namespace {

std::string word(std::uint32_t value)
{
    return levee::hex(value, 8);
}

} // namespace

std::vector<GroupResult> expected_of(std::span<const Group> groups)
{
    std::vector<GroupResult> results;
    for (const Group& group : groups)
        results.push_back(group_result(group));
    return results;
}

std::vector<GroupResult> Driver::run(std::span<const Group> groups, const Options& options)
{
    Progress progress{groups, options.expected, options.known(),
                      std::vector<GroupResult>(groups.size())};
    drive(*this, progress, options);
    return std::move(progress.results);
}

RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ != nullptr)
        place.tile = RtlPlace::index(progress_->done_with);
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr || progress_->done_with >= progress_->known.size())
        return;
    const GroupResult& known = progress_->known[progress_->done_with];
    const std::size_t made = progress_->results[progress_->done_with].levels.size();
    if (out.level_valid && made < known.levels.size())
        out.level = known.levels[made];
    if (out.result_valid)
        out.lanes = known.lanes;
}

/// Offers the next group. A group with other settings waits until the previous group has left the
/// design.
Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1);
    Inputs in;
    in.result_ready = (gates & 2u) != 0;
    in.settings = progress.current().settings;
    const bool any = progress.taken < progress.groups.size();
    if (!any || (!progress.offered && (gates & 1u) == 0))
        return in;
    const bool idle = progress.taken == progress.done_with;
    const Settings& next = progress.groups[progress.taken].settings;
    const Settings& now = in.settings;
    const bool same = next.bits == now.bits && next.max_levels == now.max_levels &&
                      next.threshold == now.threshold && next.tolerance == now.tolerance;
    if (!idle && !same)
        return in;
    in.settings = next;
    in.group = &progress.groups[progress.taken];
    return in;
}

/// Returns true if any channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const bool result = out.result_valid && in.result_ready;
    const bool group = in.group != nullptr && out.group_ready;
    progress.offered = in.group != nullptr && !group;
    if (out.level_valid && progress.done_with < progress.groups.size())
        progress.results[progress.done_with].levels.push_back(out.level);
    if (result && progress.done_with < progress.groups.size()) {
        GroupResult& mine = progress.results[progress.done_with++];
        mine.lanes = out.lanes;
        mine.cycles = operation_cycle() - progress.taken_in;
    }
    if (group) {
        ++progress.taken;
        progress.taken_in = operation_cycle();
    }
    return result || group || out.level_valid;
}

void Driver::compare_level(const Progress& progress, const Outputs& out)
{
    const std::size_t group = progress.done_with;
    const std::string where = "group " + std::to_string(group);
    if (group >= progress.taken)
        return differ_in_value("level_valid_o", "without a group", "0", "1");
    if (progress.expected.empty())
        return;
    const std::vector<MadeLevel>& levels = progress.expected[group].levels;
    const std::size_t index = progress.results[group].levels.size();
    count_comparison();
    if (index >= levels.size())
        return differ_in_value("level_valid_o", where, "0", "1");
    const MadeLevel& want = levels[index];
    const MadeLevel& got = out.level;
    const auto compare = [&](const char* signal, std::uint32_t wanted, std::uint32_t is) {
        if (wanted != is)
            differ_in_value(signal, where + ", level " + std::to_string(index), word(wanted),
                            word(is));
    };
    compare("level_lane_o", want.lane, got.lane);
    compare("level_label_o", want.label, got.label);
    compare("level_step_o", want.step, got.step);
    compare("level_zero_o", static_cast<std::uint32_t>(want.zero),
            static_cast<std::uint32_t>(got.zero));
}

/// Compares a lane. Clamping, storing, codes and labels are compared only for QUANTISE; codes and
/// labels only if a value is stored.
void Driver::compare_lane(const Progress& progress, std::size_t lane, const LaneResult& got)
{
    const std::size_t group = progress.done_with;
    const LaneResult& want = progress.expected[group].lanes[lane];
    const auto compare = [&](const char* signal, std::uint32_t wanted, std::uint32_t is) {
        count_comparison();
        if (wanted != is)
            differ_in_value(signal,
                            "lane " + std::to_string(lane) + " of group " + std::to_string(group),
                            word(wanted), word(is));
    };
    compare("result_survives_o", want.survives, got.survives);
    compare("result_opened_o", want.opened, got.opened);
    if (progress.groups[group].kind == GroupKind::Quantise) {
        compare("result_clamped_o", want.clamped, got.clamped);
        compare("result_stored_o", want.stored, got.stored);
        if (want.stored) {
            compare("result_codes_o", want.code, got.code);
            compare("result_labels_o", want.label, got.label);
        }
    }
    compare("result_entries_o: levels", want.entry.levels, got.entry.levels);
    compare("result_entries_o: ranged", want.entry.ranged, got.entry.ranged);
    compare("result_entries_o: min", want.entry.min, got.entry.min);
    compare("result_entries_o: max", want.entry.max, got.entry.max);
    compare("result_entries_o: low", want.entry.low, got.entry.low);
    compare("result_entries_o: high", want.entry.high, got.entry.high);
    compare("result_entries_o: reciprocal", want.entry.reciprocal, got.entry.reciprocal);
    compare("result_entries_o: zero", static_cast<std::uint32_t>(want.entry.zero),
            static_cast<std::uint32_t>(got.entry.zero));
}

/// Compares valid outputs in every cycle, even if they are not taken.
void Driver::compare_values(Progress& progress, const Inputs&, const Outputs& out)
{
    if (out.level_valid)
        compare_level(progress, out);
    if (!out.result_valid)
        return;
    if (progress.done_with >= progress.taken)
        return differ_in_value("result_valid_o", "without a group", "0", "1");
    if (progress.expected.empty())
        return;
    const std::size_t made = progress.results[progress.done_with].levels.size();
    const std::size_t due = progress.expected[progress.done_with].levels.size();
    if (made != due)
        differ_in_value("level_valid_o", "group " + std::to_string(progress.done_with),
                        std::to_string(due) + " levels", std::to_string(made));
    for (std::size_t lane = 0; lane < out.lanes.size(); ++lane)
        compare_lane(progress, lane, out.lanes[lane]);
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const auto where = [this] {
        return progress_ == nullptr ? "" : "group " + std::to_string(progress_->done_with);
    };
    compare_timing(want.result_valid, got.result_valid, "result_valid_o", where);
    compare_timing(want.level_valid, got.level_valid, "level_valid_o", where);
    compare_timing(want.group_ready, got.group_ready, "group_ready_o", where);
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.result_valid   ? "result_valid_o"
           : out.level_valid  ? "level_valid_o"
           : !out.group_ready ? "group_ready_o"
                              : nullptr;
}

void Driver::give_up(const Progress& progress)
{
    RtlDriver::give_up("result_valid_o", "group " + std::to_string(progress.done_with));
}

} // namespace levee::cpq
