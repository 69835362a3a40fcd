// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/model.hpp"
#include "ip/dram/parameters_reader.hpp"
#include "platform/input/config/compose.hpp"
#include "test/dram_cycle/cycle_dram.hpp"
#include "test/dram_cycle/fast_run.hpp"

#include <string>

namespace levee::dram_test {

using dram_cycle::CoreReads;
using dram_cycle::CycleDram;
using dram_cycle::fast_completions;
using dram_cycle::Outcome;
using dram_cycle::Stream;

inline constexpr auto R = Direction::Read, W = Direction::Write;
inline constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

/// Returns a shipped standard such as "lpddr4" or "hbm3", with everything that it extends. `more`
/// adds keys such as "width: 64".
[[nodiscard]] inline dram::Parameters standard(const std::string& name,
                                               const std::string& more = {})
{
    const config::FileFinder finder(LEVEE_DRAM_STANDARDS);
    const std::string file = LEVEE_DRAM_STANDARDS "/" + name + ".yaml";
    config::Node node = config::compose(file, finder, {});
    if (!more.empty())
        for (config::Node::Entry& entry : config::parse_yaml(more, "more.yaml").entries) {
            if (config::Node* old = node.find(entry.key))
                *old = entry.value;
            else
                node.entries.push_back(entry);
        }
    return config::read_dram_parameters(node, "dram");
}

/// Returns the same standard with streams scheduled burst by burst.
[[nodiscard]] inline dram::Parameters scheduled(const std::string& name,
                                                const std::string& more = {})
{
    dram::Parameters parameters = standard(name, more);
    parameters.controller.prices = dram::PriceMode::BySchedule;
    return parameters;
}

[[nodiscard]] inline dram_cycle::Stream sequential(Direction direction, std::uint64_t address,
                                                   std::uint64_t bytes)
{
    return {AccessPattern{address, bytes, {1, 1, 1}, {0, 0, 0}, false}, direction, bytes, 1};
}

/// Returns a stream of runs of `run` bytes, `stride` apart.
[[nodiscard]] inline dram_cycle::Stream strided(Direction direction, std::uint64_t address,
                                                std::uint64_t bytes, std::uint64_t run,
                                                std::int64_t stride)
{
    return {AccessPattern{address, run, {bytes / run, 1, 1}, {stride, 0, 0}, false}, direction,
            bytes, 1};
}

/// Returns a stream of runs of `run` bytes at random places within `extent` bytes.
[[nodiscard]] inline dram_cycle::Stream random(Direction direction, std::uint64_t address,
                                               std::uint64_t bytes, std::uint64_t run,
                                               std::uint64_t extent, std::uint64_t seed)
{
    return {AccessPattern{
                address, run, {extent / run, 1, 1}, {static_cast<std::int64_t>(run), 0, 0}, true},
            direction, bytes, seed};
}

} // namespace levee::dram_test
