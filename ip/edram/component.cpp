// SPDX-License-Identifier: Apache-2.0
#include "core/component/component.hpp"

#include "core/abi/boot_info.h"
#include "core/component/registry.hpp"
#include "ip/edram/declaration.hpp"
#include "ip/edram/module.hpp"

#include <charconv>
#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace levee::edram {

namespace {

using config::Dimension;
using config::Error;
using config::MapReader;
using config::Node;

/// Reads one interval for all groups, or a map with an interval for each.
edram::GroupTimes read_intervals(MapReader& reader)
{
    edram::GroupTimes intervals{};
    const Node* node = reader.raw("intervals", true);
    if (node == nullptr)
        return intervals;
    if (!node->is_map()) {
        intervals.fill(reader.as(interval_forms[0]).quantity("intervals"));
        return intervals;
    }
    MapReader groups = *reader.as(interval_forms[1]).map("intervals");
    for (std::size_t i = 0; i < intervals.size(); ++i)
        intervals[i] = groups.quantity(group_names[i]);
    groups.finish();
    return intervals;
}

std::vector<edram::CurvePoint> read_curve(MapReader& reader)
{
    std::vector<edram::CurvePoint> points;
    reader.rows("curve", [&points](MapReader& row) {
        const edram::CurvePoint point{row.quantity("age"), row.real("probability")};
        if (!points.empty() && point.age <= points.back().age)
            throw row.error("age", "does not increase here; expected more than the previous age");
        if (!points.empty() && point.probability < points.back().probability)
            throw row.error("probability",
                            "decreases here; expected at least the previous probability");
        points.push_back(point);
    });
    return points;
}

edram::RetentionConfig read_retention(MapReader reader)
{
    edram::RetentionConfig retention;
    retention.curve = read_curve(reader);
    retention.failures = reader.word<edram::Failures>("failures");
    retention.time_scale = reader.quantity("time_scale");
    retention.read_restores = reader.boolean("read_restores");
    if (reader.has("groups")) {
        retention.groups = 0;
        for (const std::int64_t group : reader.words("groups"))
            retention.groups |= 1u << group;
    }
    reader.finish();
    return retention;
}

edram::Config read_config(MapReader& reader)
{
    edram::Config config;
    edram::ArrayConfig& array = config.array;
    array.geometry.layout = reader.word<edram::Layout>("layout");
    array.geometry.size_bytes = reader.pages("size");
    array.geometry.banks = reader.quantity32("banks");
    array.geometry.row_bytes = reader.quantity("row");
    config.access = reader.quantity("access");
    config.latency = reader.quantity("latency");
    array.refresh.row = reader.quantity("refresh");
    array.refresh.intervals = read_intervals(reader);
    array.refresh.keys = reader.path();
    for (const edram::Time interval : array.refresh.intervals)
        if (interval > 0 && interval <= array.refresh.row)
            throw reader.error("intervals",
                               "contains " + config::format_quantity(interval, Dimension::Time) +
                                   "; expected more than " +
                                   config::format_quantity(array.refresh.row, Dimension::Time) +
                                   ", the time to refresh one row ('refresh')");
    if (const std::optional<MapReader> retention = reader.map("retention"))
        array.retention = read_retention(*retention);
    return config;
}

std::string show(const edram::GroupTimes& intervals)
{
    std::string text;
    for (const edram::Time interval : intervals)
        text += (text.empty() ? "" : " / ") + config::format_quantity(interval, Dimension::Time);
    return text;
}

std::vector<Parameter> show(const MapReader& reader, const edram::Config& config,
                            const Placement& placement)
{
    const edram::ArrayConfig& array = config.array;
    std::vector<Parameter> parameters = parameters_read(reader, edram::declaration);
    parameters.emplace_back(
        "bandwidth", config::format_quantity(placement.bytes_per_second, Dimension::Bandwidth));
    parameters.emplace_back("intervals", show(array.refresh.intervals));
    if (!array.retention)
        parameters.emplace_back("retention", "never fails");
    else
        parameters.emplace_back(
            "retention",
            std::string(array.retention->failures == edram::Failures::Iid ? "iid" : "per_cell") +
                ", time_scale " + std::to_string(array.retention->time_scale));
    return parameters;
}

Component make(const std::string& name, const edram::Config& config)
{
    auto module = std::make_unique<edram::Edram>(name.c_str(), config);
    edram::Edram& edram = *module;
    Component component;
    component.storage = &edram.port;
    component.bytes = &edram.storage();
    component.registers = &edram.registers;
    component.register_file = &edram.register_file();
    component.load = [&edram](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
        edram.load(offset, bytes);
    };
    component.trace_signals = [&edram](sc_core::sc_trace_file& file) { edram.trace_signals(file); };
    component.report = [&edram](Stats& stats) { edram.report(stats); };
    if (config.array.retention)
        component.observe_failures = [&edram](RetentionFailureSink sink) {
            edram.observe_failures([sink = std::move(sink)](const RowFailure& row, unsigned) {
                sink({row.offset, row.half == Half::Msb, row.age_before, row.age_after, row.datum,
                      row.before, row.after, row.element_bits});
            });
        };
    component.observe_lifetimes = [&edram](DataLifetimeSink sink) {
        edram.observe_lifetimes(std::move(sink));
    };
    component.injectable = {
        {"upper", [&edram] { return edram.bits_of(Half::Msb); }},
        {"lower", [&edram] { return edram.bits_of(Half::Lsb); }},
        {"scores", {}, 8 * Array::score_count(config.array.geometry), [&edram](std::uint64_t bit) {
             edram.flip_score(bit);
         }}};
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        component.background.push_back({std::string("refresh.") + edram::group_names[group],
                                        &edram::refresh_event,
                                        [&edram, group, row = config.array.geometry.row_bytes] {
                                            return edram.refreshed_rows()[group] * row;
                                        }});
    component.module = std::move(module);
    return component;
}

struct Interval {
    edram::Time time;
    const char* group;
};

/// Longest interval of any group: the firmware's choice if there is one, otherwise the memory's.
Interval longest_interval(const edram::GroupTimes& own, const CaveatInputs& inputs)
{
    const levee_kv_policy& policy = inputs.boot_info.kv;
    Interval longest{0, edram::group_names[0]};
    for (unsigned group = 0; group < own.size(); ++group) {
        edram::Time chosen = 0;
        if ((inputs.roles & LEVEE_ROLE_KV) != 0)
            chosen = policy.refresh_ps[group];
        else if ((inputs.roles & LEVEE_ROLE_ACTIVATIONS) != 0)
            chosen = policy.activation_refresh_ps;
        if (chosen == 0)
            chosen = own[group];
        if (chosen > longest.time)
            longest = {chosen, edram::group_names[group]};
    }
    return longest;
}

/// Returns the age up to which no cell fails, for memories without a failure curve.
edram::Time retention_time(const std::filesystem::path& technology)
{
    const Node file = config::load_yaml(technology / "edram" / "retention_time.yaml");
    MapReader reader(file, "", edram::retention_time_keys);
    const edram::Time time = reader.quantity("retention_time");
    reader.finish();
    return time;
}

/// Describes the lost data if many cells would fail during a conversation's pauses, in which
/// nothing is refreshed. Otherwise returns an empty text.
std::string lost_in_pause(const edram::ArrayConfig& array, const CaveatInputs& inputs,
                          const Interval& longest)
{
    constexpr double worth_a_warning = 0.01;
    const edram::Time pause = inputs.longest_pause_ps;
    const std::uint64_t scale = array.retention->time_scale;
    if ((inputs.roles & LEVEE_ROLE_KV) == 0 || pause > longest.time / scale)
        return "";
    const double failed = edram::RetentionCurve(array.retention->curve).probability(pause * scale);
    if (failed < worth_a_warning)
        return "";
    std::ostringstream percent;
    percent << std::setprecision(2) << 100 * failed;
    return "so never in a pause of " + config::format_quantity(pause, Dimension::Time) + ": " +
           percent.str() +
           " % of its cells fail in the pause. Set shorter refresh intervals, or discard the cache "
           "in pauses (workload.forget_after)";
}

/// Returns warnings about failures that the run cannot show: a refresh interval exceeds the end of
/// the retention curve or, if failures are not simulated, the time for which real cells hold data.
std::vector<std::string> caveats(const edram::ArrayConfig& array, const CaveatInputs& inputs)
{
    const auto text_of = [](edram::Time time) {
        return config::format_quantity(time, Dimension::Time);
    };
    const Interval longest = longest_interval(array.refresh.intervals, inputs);
    const std::string refreshed =
        "is refreshed every " + text_of(longest.time) + " (" + longest.group + "), ";
    if (array.retention) {
        const edram::Time end = array.retention->curve.back().age;
        if (longest.time > end)
            return {refreshed + "beyond the end of its retention curve at " + text_of(end) +
                    "; failures at later ages are unknown and not simulated"};
        if (std::string lost = lost_in_pause(array, inputs, longest); !lost.empty())
            return {refreshed + lost};
    } else if (const edram::Time safe = retention_time(inputs.technology); longest.time > safe) {
        return {refreshed + "cells fail from " + text_of(safe) +
                " on, but the memory has no key 'retention', so the run simulates no failures"};
    }
    return {};
}

ComponentPlan read(MapReader& reader, const ComponentDefaults&)
{
    const edram::Config config = read_config(reader);
    const std::uint32_t ports = reader.quantity32("ports");
    const edram::Geometry& geometry = config.array.geometry;
    reader.finish(); // Reports missing keys before values are compared.
    if (const std::string fault = geometry.fault(); !fault.empty())
        throw reader.error("banks", "does not fit 'size' and 'row': " + fault);
    ComponentPlan plan;
    plan.placement.place = MemoryPlace::OnChip;
    plan.placement.size_bytes = geometry.size_bytes;
    plan.placement.refreshed = true;
    plan.placement.halved = geometry.layout == edram::Layout::Kv;
    plan.placement.ports = ports;
    plan.placement.mapped_bytes = edram::Edram::mapped_bytes(geometry);
    plan.placement.bytes_per_second =
        geometry.banks * edram::port_bytes * ps_per_second / config.access;
    plan.parameters = show(reader, config, plan.placement);
    plan.caveats = [array = config.array](const CaveatInputs& inputs) {
        return caveats(array, inputs);
    };
    plan.make = [config](const std::string& name, const ComponentContext& around) {
        edram::Config seeded = config;
        seeded.seed = around.seed;
        return make(name, seeded);
    };
    return plan;
}

const ComponentRegistration registration(edram::declaration, read);

} // namespace

} // namespace levee::edram
