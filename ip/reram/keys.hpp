// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/reram/crossbar.hpp"

namespace levee::reram {

inline constexpr config::Limits up_to_a_second{1, ps_per_second};
inline constexpr std::uint64_t ps_of_90_days = 8'000'000'000'000'000'000;

inline constexpr config::Word mapping_words[] = {
    {"differential", static_cast<std::int64_t>(Mapping::Differential)},
    {"offset", static_cast<std::int64_t>(Mapping::Offset)}};
inline constexpr config::Word range_words[] = {
    {"full", static_cast<std::int64_t>(AdcRange::Full)},
    {"unit", static_cast<std::int64_t>(AdcRange::Unit)},
    {"explicit", static_cast<std::int64_t>(AdcRange::Explicit)}};

inline constexpr const char* explicit_range[] = {"explicit"};
inline constexpr config::Key adc_keys[] = {
    config::count32("bits", "Bits of a code.", {2, 24}),
    config::word("range", range_words,
                 "Input range of the converter: up to the current of all lines, one cell level for "
                 "each code, or explicit.")
        .or_else("full"),
    config::real("low", -1e6, 0,
                 "Lowest current of an `explicit` range, relative to a cell at its highest level.")
        .needed_if({.with = "range", .values = explicit_range}),
    config::real("high", 0, 1e6, "Highest current of an `explicit` range, in the unit of `low`.")
        .needed_if({.with = "range", .values = explicit_range}),
};

inline constexpr config::Key drift_keys[] = {
    config::real("exponent", 0, 1,
                 "Exponent of the power law by which conductances fall with age."),
    config::quantity("age", config::Dimension::Time, "Age of all cells.", {0, ps_of_90_days}),
    config::quantity("reference", config::Dimension::Time,
                     "Age at which conductances have their programmed values.", {1, ps_of_90_days}),
};

inline constexpr config::Key disturbance_keys[] = {
    config::real("programming", 0, 1,
                 "Relative standard deviation of a conductance, drawn for each cell at each "
                 "programming.")
        .or_else("0"),
    config::real(
        "read", 0, 1,
        "Relative standard deviation of a conductance, drawn for each vector, slice and bit.")
        .or_else("0"),
    config::real("stuck", 0, 1, "Share of the cells that are stuck at one conductance.")
        .or_else("0"),
    config::real("stuck_on", 0, 1,
                 "Share of the stuck cells that are at the highest conductance; the others are at "
                 "the lowest.")
        .or_else("0.5"),
    config::map("drift", drift_keys, "Decrease of all conductances with age.").optional(),
    config::real("wire", 0, 1,
                 "Resistance of a bit line from cell to cell, times the highest conductance.")
        .or_else("0"),
};

inline constexpr config::Key keys[] = {
    config::count32("rows", "Word lines of a crossbar, which has at most 2^20 cells.", {1, 1 << 14})
        .from("ReTransformer, section II"),
    config::count32("columns", "Bit lines of a crossbar.", {1, 1 << 14})
        .from("ReTransformer, section II"),
    config::count32("units",
                    "Units, each with the crossbars for a tile of `rows` times `columns` 8-bit "
                    "elements.",
                    {1, 1 << 24}),
    config::count32("cell_bits", "Bits of a cell.", {1, 8}).from("ReTransformer, section II"),
    config::word("mapping", mapping_words,
                 "Form of signed numbers: magnitudes in pairs of cells, or half the range added."),
    config::real("on_off", 0, 1e9,
                 "Ratio of the highest to the lowest conductance of a cell; 0: infinite.")
        .or_else("0"),
    config::count32("adcs", "Converters per crossbar, or per pair of crossbars.", {1, 1 << 16}),
    config::quantity("pulse", config::Dimension::Time,
                     "Time to drive one bit of the inputs and sample the currents.",
                     up_to_a_second),
    config::quantity("conversion", config::Dimension::Time,
                     "Time in which a converter converts one current.", up_to_a_second),
    config::quantity("vector", config::Dimension::Time,
                     "Time of a product with a vector, whatever its width in bits; 0: computed "
                     "from `pulse` and `conversion`.",
                     {0, up_to_a_second.most})
        .or_else("0 ps"),
    config::quantity("write", config::Dimension::Time, "Time to program a bit line.",
                     up_to_a_second),
    config::count("endurance",
                  "Writes that a bit line is rated for; a line with more counts as worn; 0: not "
                  "known.")
        .or_else("0"),
    config::count32("groups", "Groups of units whose working time is counted.", {1, 64})
        .or_else("8"),
    config::map("adc", adc_keys,
                "Converter of a line's current; without it, sums are not converted.")
        .optional(),
    config::map("disturbances", disturbance_keys,
                "Deviations of the conductances; random ones depend on the scenario's seed.")
        .optional(),
};

} // namespace levee::reram
