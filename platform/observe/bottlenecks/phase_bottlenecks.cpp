// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/bottlenecks/phase_bottlenecks.hpp"

#include "core/units/stats.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/si.hpp"

#include <algorithm>
#include <cstdio>

namespace levee::bottlenecks {

namespace {

double per_second(std::uint64_t amount, std::uint64_t ps)
{
    return ps == 0 ? 0.0 : static_cast<double>(amount) / seconds(ps);
}

double share(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string padded(std::string text, std::size_t width)
{
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

std::string percent(double share)
{
    char text[16];
    std::snprintf(text, sizeof text, "%6.2f %%", 100.0 * share);
    return text;
}

std::string line(const std::string& what, const std::string& value)
{
    return "  " + padded(what, 34) + value + "\n";
}

std::string roofline_text(const PhaseBottlenecks& phase)
{
    std::string text;
    if (phase.macs > 0) {
        text +=
            line("array: achieved", si(phase.achieved(), "MAC/s") + " of " +
                                        si(static_cast<double>(phase.macs_per_second), "MAC/s"));
        text += line("attainable at these intensities", si(phase.attainable(), "MAC/s"));
    }
    for (const PhaseBottlenecks::Resource& resource : phase.resources)
        if (resource.bytes > 0)
            text +=
                line(resource.name,
                     si(per_second(resource.bytes, phase.time), "B/s") + " of " +
                         si(static_cast<double>(resource.bytes_per_second), "B/s") +
                         (phase.macs == 0 ? std::string()
                                          : ", " + si(share(phase.macs, resource.bytes), "MAC/B")));
    if (const std::string load = phase.bound_by_load(); !load.empty())
        text += "  " + load + "\n";
    if (const PhaseBottlenecks::Resource* bound = phase.bound_by())
        text += line("bound by " + bound->name,
                     percent(share(bound->binds, phase.time)) + " of the time");
    return text;
}

void report(const PhaseBottlenecks& phase, Results& results)
{
    const auto add = [&](const std::string& name, Metric value) {
        results.metrics[name] = std::move(value);
    };
    const std::string bounds = "bounds." + phase.name + ".";
    for (const PhaseBottlenecks::BlockTime& block : phase.blocks)
        for (const PhaseBottlenecks::Share& part : block.causes)
            add(bounds + block.name + "." + part.cause + "_seconds", seconds(part.time));
    if (const std::string load = phase.bound_by_load(); !load.empty())
        add(bounds + "load", load);
    const std::string roofline = "roofline." + phase.name + ".";
    if (phase.macs > 0) {
        add(roofline + "macs", phase.macs);
        add(roofline + "macs_per_s", phase.achieved());
        add(roofline + "peak_macs_per_s", phase.macs_per_second);
        add(roofline + "attainable_macs_per_s", phase.attainable());
    }
    for (const PhaseBottlenecks::Resource& resource : phase.resources) {
        const std::string name = roofline + resource.name + ".";
        if (resource.binds > 0)
            add(name + "binds_seconds", seconds(resource.binds));
        if (resource.bytes == 0)
            continue;
        add(name + "bytes", resource.bytes);
        add(name + "bytes_per_s", per_second(resource.bytes, phase.time));
        add(name + "peak_bytes_per_s", resource.bytes_per_second);
        if (phase.macs > 0)
            add(name + "macs_per_byte", share(phase.macs, resource.bytes));
    }
    add(roofline + "core.awake_seconds", seconds(phase.core_awake));
}

} // namespace

const PhaseBottlenecks::Resource* PhaseBottlenecks::bound_by() const
{
    const auto most =
        std::max_element(resources.begin(), resources.end(),
                         [](const Resource& a, const Resource& b) { return a.binds < b.binds; });
    return most == resources.end() || most->binds == 0 ? nullptr : &*most;
}

std::string PhaseBottlenecks::bound_by_load() const
{
    constexpr double giga = 1e9;
    for (const Loading& load : loads) {
        if (2 * load.time <= time)
            continue;
        char text[80];
        std::snprintf(text, sizeof text, "array load: %g of %g GB/s",
                      static_cast<double>(load.bytes_per_second) / giga,
                      static_cast<double>(weight_bytes_per_second) / giga);
        return text;
    }
    return "";
}

double PhaseBottlenecks::attainable() const
{
    auto least = static_cast<double>(macs_per_second);
    for (const Resource& resource : resources)
        if (resource.bytes > 0)
            least = std::min(least, share(macs, resource.bytes) *
                                        static_cast<double>(resource.bytes_per_second));
    return least;
}

double PhaseBottlenecks::achieved() const
{
    return per_second(macs, time);
}

void report(std::span<const PhaseBottlenecks> phases, Results& results)
{
    for (const PhaseBottlenecks& phase : phases)
        report(phase, results);
}

std::string text(std::span<const PhaseBottlenecks> phases)
{
    std::string text;
    for (const PhaseBottlenecks& phase : phases) {
        text += phase.name + ": " + si(seconds(phase.time), "s") + ", core awake " +
                percent(share(phase.core_awake, phase.time)) + "\n" + roofline_text(phase);
        for (const PhaseBottlenecks::BlockTime& block : phase.blocks) {
            std::vector<PhaseBottlenecks::Share> causes = block.causes;
            std::stable_sort(causes.begin(), causes.end(),
                             [](const auto& a, const auto& b) { return a.time > b.time; });
            text += "  " + block.name + "\n";
            for (const PhaseBottlenecks::Share& part : causes)
                text += "    " + padded(part.cause, 30) + percent(share(part.time, phase.time)) +
                        "  " + si(seconds(part.time), "s") + "\n";
        }
    }
    return text;
}

void write(std::span<const PhaseBottlenecks> phases, const std::filesystem::path& folder)
{
    std::string times = "phase,block,cause,picoseconds\n";
    std::string roofline = "phase,resource,binds_ps,bytes,peak_bytes_per_s\n";
    for (const PhaseBottlenecks& phase : phases) {
        for (const PhaseBottlenecks::BlockTime& block : phase.blocks)
            for (const PhaseBottlenecks::Share& part : block.causes)
                times += phase.name + "," + block.name + "," + part.cause + "," +
                         std::to_string(part.time) + "\n";
        for (const PhaseBottlenecks::Resource& resource : phase.resources)
            if (resource.binds > 0 || resource.bytes > 0)
                roofline += phase.name + "," + resource.name + "," +
                            std::to_string(resource.binds) + "," + std::to_string(resource.bytes) +
                            "," + std::to_string(resource.bytes_per_second) + "\n";
    }
    write_atomically(folder / "bounds.csv", times);
    write_atomically(folder / "roofline.csv", roofline);
}

} // namespace levee::bottlenecks
