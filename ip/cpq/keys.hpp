// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "core/config/reader.hpp"
#include "ip/cpq/records.hpp"

namespace levee::cpq {

inline constexpr config::Limits cycle_limits{1, 1u << 16};

/// Statistics of rows for timing-only runs.
inline constexpr config::Key expected_keys[] = {
    config::real("pruned", 0.0, 1.0, "Share of the values that are pruned."),
    config::real("zero", 0.0, 1.0,
                 "Share of the values that are not stored, including pruned ones."),
    config::count32("levels", "Levels of a channel.", {1, most_levels}),
};

inline Expected read_expected(config::MapReader reader)
{
    Expected expected;
    expected.pruned = reader.real("pruned");
    expected.zero = reader.real("zero");
    expected.levels = reader.quantity32("levels");
    if (expected.zero < expected.pruned)
        throw reader.error(
            "zero",
            "is less than 'pruned'; expected at least 'pruned', as pruned values are not stored");
    reader.finish();
    return expected;
}

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("width", "Values in a group, which the units process in parallel.",
                    {1, 1u << 16})
        .from("Titanus, section IV: 32"),
    config::count32("prune_cycles", "Cycles to prune a group.", cycle_limits)
        .from("Titanus, section IV: 2"),
    config::count32("quantise_cycles", "Cycles to quantise a group.", cycle_limits)
        .from("Titanus, section IV: 3"),
    config::count32("dequantise_cycles", "Cycles to expand a group.", cycle_limits)
        .from("Titanus, section IV: 2"),
    config::count32(
        "level_cycles",
        "Cycles to compute a level (a channel's range and quantisation step); assumed, as "
        "no paper states this time.",
        cycle_limits),
    config::quantity("sz_buffer", config::Dimension::Size,
                     "Size of the scale-zero buffer; firmware reads the size from a register.",
                     {1, 1ull << 40}),
    config::map("expected", expected_keys,
                "Expected sparsity and levels of rows; statistical timing-only runs require them.")
        .optional(),
    config::real("calibrate", 0.0, 1.0,
                 "Share of the values to prune: the run reports the lowest threshold that prunes "
                 "it, with a relative precision of 2^-8.")
        .optional(),
    rtl_key,
    assertions_key,
};

} // namespace levee::cpq
