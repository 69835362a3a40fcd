// SPDX-License-Identifier: Apache-2.0
#include "core/units/wide.hpp"
#include "platform/observe/profile/profile.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace levee::profile {

namespace {

constexpr std::size_t most_functions = 20, most_callers = 15, most_idle = 6;

template <typename... Values> std::string format(const char* pattern, Values... values)
{
    std::array<char, 256> text{};
    const int length = std::snprintf(text.data(), text.size(), pattern, values...);
    return {text.data(), std::min(static_cast<std::size_t>(length), text.size() - 1)};
}

std::string percent(unsigned tenths)
{
    return format("%u.%u %%", tenths / 10, tenths % 10);
}

unsigned share(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? 0
                      : static_cast<unsigned>((part * 1000.0) / static_cast<double>(whole) + 0.5);
}

std::string table(const std::vector<CallProfile::Entry>& entries, std::size_t most,
                  std::uint64_t whole, const char* title)
{
    std::string text = format("%14s %8s %14s %8s %10s  %s\n", "cycles", "share", "with callees",
                              "share", "calls", title);
    for (std::size_t i = 0; i < std::min(most, entries.size()); ++i) {
        const CallProfile::Entry& entry = entries[i];
        text +=
            format("%14llu %8s %14llu %8s %10llu  ", static_cast<unsigned long long>(entry.self),
                   percent(share(entry.self, whole)).c_str(),
                   static_cast<unsigned long long>(entry.with_callees),
                   percent(share(entry.with_callees, whole)).c_str(),
                   static_cast<unsigned long long>(entry.calls)) +
            entry.name + "\n";
    }
    if (entries.size() > most)
        text += format("%14s and %zu more; all are in profile.folded\n", "", entries.size() - most);
    return text;
}

/// Returns the largest parts of a run as a text such as "a 12.3 %, b 4.5 %".
std::string largest(const std::map<std::string, Picoseconds>& parts, Picoseconds run)
{
    std::vector<std::pair<std::string, Picoseconds>> sorted(parts.begin(), parts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (std::size_t i = 0; i < std::min(most_idle, sorted.size()); ++i)
        text +=
            (i == 0 ? "" : ", ") + sorted[i].first + " " + percent(share(sorted[i].second, run));
    if (sorted.size() > most_idle)
        text += format(", and %zu more", sorted.size() - most_idle);
    return text;
}

std::string milliseconds(Picoseconds ps)
{
    constexpr Picoseconds ps_per_us = 1'000'000;
    const Picoseconds us = ps / ps_per_us;
    return format("%llu.%03llu ms", static_cast<unsigned long long>(us / 1000),
                  static_cast<unsigned long long>(us % 1000));
}

} // namespace

std::vector<unsigned> shares(const std::vector<std::uint64_t>& parts)
{
    constexpr unsigned whole_tenths = 1000;
    const std::uint64_t whole = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    std::vector<unsigned> tenths(parts.size(), 0);
    if (whole == 0)
        return tenths;
    std::vector<std::pair<std::uint64_t, std::size_t>> remainders;
    unsigned given = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Wide scaled = Wide{parts[i]} * whole_tenths;
        tenths[i] = static_cast<unsigned>(scaled / whole);
        given += tenths[i];
        remainders.emplace_back(static_cast<std::uint64_t>(scaled % whole), i);
    }
    std::stable_sort(remainders.begin(), remainders.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; given < whole_tenths; ++i, ++given)
        ++tenths[remainders[i].second];
    return tenths;
}

std::string calls_text(const CallProfile& calls, const std::string& asleep)
{
    std::uint64_t cycles = 0;
    for (const CallProfile::Node& node : calls.nodes())
        cycles += node.cycles;
    const auto flat = calls.flat();
    std::uint64_t sleep = 0;
    for (const CallProfile::Entry& entry : flat)
        sleep += entry.name == asleep ? entry.self : 0;
    return format("Core: %llu cycles, %s of them asleep in wfi\n\n",
                  static_cast<unsigned long long>(cycles), percent(share(sleep, cycles)).c_str()) +
           table(flat, most_functions, cycles, "function") + "\n" +
           table(calls.by_caller(), most_callers, cycles, "caller -> function") +
           (calls.shortened()
                ? format(
                      "\nCalls went deeper than %zu frames: beyond them, a recursive call counts "
                      "at the function's earlier frame.\n",
                      CallProfile::most_frames)
                : "");
}

std::string blocks_text(const std::vector<BlockTimes>& blocks, Picoseconds run,
                        const std::map<std::string, std::string>& resource_names)
{
    if (blocks.empty())
        return "No block executes descriptors.\n";
    std::string text = "Blocks, in shares of the run of " + milliseconds(run) + "\n\n" +
                       format("%-10s %8s %10s %10s %8s %8s %11s\n", "", "busy", "waits for",
                              "waits for", "fetches", "idle", "operations") +
                       format("%-10s %8s %10s %10s\n", "", "", "memory", "dependency");
    for (const BlockTimes& block : blocks) {
        const auto tenths = shares({block.in.begin(), block.in.end()});
        text += format(
            "%-10s %8s %10s %10s %8s %8s %11llu\n", block.name.c_str(), percent(tenths[0]).c_str(),
            percent(tenths[1]).c_str(), percent(tenths[2]).c_str(), percent(tenths[3]).c_str(),
            percent(tenths[4]).c_str(), static_cast<unsigned long long>(block.operations));
    }
    text += "\nMemory waited for\n";
    for (const BlockTimes& block : blocks) {
        std::map<std::string, Picoseconds> named;
        for (const auto& [resource, time] : block.bound_by) {
            const auto known = resource_names.find(resource);
            named[known != resource_names.end() ? known->second : resource] += time;
        }
        text += format("%-10s ", block.name.c_str()) + largest(named, run) + "\n";
    }
    text += "\nWhile idle, the core was in\n";
    for (const BlockTimes& block : blocks)
        text += format("%-10s ", block.name.c_str()) + largest(block.idle_while_in, run) + "\n";
    return text;
}

} // namespace levee::profile
