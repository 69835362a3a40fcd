// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/cam/regs.h"

namespace levee::cam {

inline constexpr config::Limits cycle_limits{1, 1u << 24};

inline constexpr config::Key noise_keys[] = {
    config::real("cell", 0.0, 1.0,
                 "Relative standard deviation of a cell's current, drawn once for each cell.")
        .or_else("0"),
    config::real("line", 0.0, 1e6,
                 "Standard deviation of the noise in each read of a match line, as a multiple of "
                 "the current for a distance of 1.")
        .or_else("0"),
};

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("rows", "Match lines of an array.", {1, 1u << 20}),
    config::count32("columns", "Cells of a match line.", {1, 1u << 16}),
    config::count32("arrays", "Number of arrays; together they have at most 2^34 cells.",
                    {1, 1u << 24}),
    config::count32("cell_bits", "Maximum number of bits in a cell; a search may use fewer.",
                    {1, LEVEE_CAM_MAX_BITS})
        .from("PIM paper, section V"),
    config::count32("write_cycles", "Cycles to write a row.", cycle_limits),
    config::count32("search_cycles",
                    "Cycles of a search with one query: precharge, evaluation and sensing.",
                    cycle_limits),
    config::count32("matches_per_cycle", "Slots that a search lists per cycle.", cycle_limits)
        .or_else("1"),
    config::map("noise", noise_keys,
                "Random deviations of currents, drawn with the scenario's seed.")
        .optional(),
};

} // namespace levee::cam
