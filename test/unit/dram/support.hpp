// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/model.hpp"
#include "platform/input/config/dram_parameters.hpp"
#include "test/dram_cycle/cycle_dram.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::dram_test {

/// A shipped standard: "lpddr4", "lpddr5", "hbm2".
[[nodiscard]] inline dram::Parameters standard(const std::string& name)
{
    const config::Node node =
        config::load_yaml(std::string(LEVEE_DRAM_STANDARDS) + "/" + name + ".yaml");
    return config::read_dram_parameters(node, "dram");
}

[[nodiscard]] inline dram_cycle::Stream sequential(Direction direction, std::uint64_t address,
                                                   std::uint64_t bytes)
{
    return {AccessPattern{address, bytes, {1, 1, 1}, {0, 0, 0}, false}, direction, bytes, 1, 0};
}

/// Runs of `run` bytes, `stride` apart.
[[nodiscard]] inline dram_cycle::Stream strided(Direction direction, std::uint64_t address,
                                                std::uint64_t bytes, std::uint64_t run,
                                                std::int64_t stride)
{
    return {AccessPattern{address, run, {bytes / run, 1, 1}, {stride, 0, 0}, false}, direction,
            bytes, 1};
}

/// Runs of `run` bytes anywhere in `extent` bytes.
[[nodiscard]] inline dram_cycle::Stream random(Direction direction, std::uint64_t address,
                                               std::uint64_t bytes, std::uint64_t run,
                                               std::uint64_t extent, std::uint64_t seed)
{
    return {AccessPattern{
                address, run, {extent / run, 1, 1}, {static_cast<std::int64_t>(run), 0, 0}, true},
            direction, bytes, seed};
}

/// Completion of each stream, all started at 0, by the fast model.
[[nodiscard]] inline std::vector<Picoseconds>
fast_completions(dram::DramTiming& timing, const std::vector<dram_cycle::Stream>& streams)
{
    std::vector<Activity> activities(streams.size());
    FlowNetwork network;
    for (std::size_t i = 0; i < streams.size(); ++i)
        activities[i].uses = {
            FlowUse{&timing, streams[i].direction, streams[i].pattern, streams[i].bytes}};
    for (std::size_t i = 0; i < streams.size(); ++i)
        activities[i].minimum = streams[i].least_time;
    for (Activity& activity : activities)
        network.start(activity, 0);
    std::vector<Picoseconds> completed(streams.size(), 0);
    while (!network.running().empty()) {
        const Picoseconds now = network.next_completion();
        network.finish_due(now, [&](Activity& activity) {
            const auto i = static_cast<std::size_t>(&activity - activities.data());
            completed[i] = now + timing.unloaded_latency(streams[i].direction);
        });
    }
    return completed;
}

} // namespace levee::dram_test
