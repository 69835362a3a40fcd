// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/model.hpp"
#include "platform/input/config/dram_parameters.hpp"
#include "test/dram_cycle/cycle_dram.hpp"
#include "test/dram_cycle/fast_run.hpp"

#include <string>

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
    return {AccessPattern{address, bytes, {1, 1, 1}, {0, 0, 0}, false}, direction, bytes, 1};
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

using dram_cycle::fast_completions;

} // namespace levee::dram_test
