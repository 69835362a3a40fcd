// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/edram/geometry.hpp"
#include "ip/edram/retention.hpp"

namespace levee::edram {

inline constexpr config::Limits up_to_an_hour{0, 3'600'000'000'000'000};
inline constexpr config::Limits up_to_a_microsecond{1, 1'000'000};

inline constexpr config::Word layout_words[] = {{"plain", static_cast<std::int64_t>(Layout::Plain)},
                                                {"kv", static_cast<std::int64_t>(Layout::Kv)}};

inline constexpr config::Word failure_words[] = {
    {"per_cell", static_cast<std::int64_t>(Failures::PerCell)},
    {"iid", static_cast<std::int64_t>(Failures::Iid)}};

/// Returns the key for one group's interval, for `intervals` given as a map. A single interval
/// applies to all groups.
[[nodiscard]] constexpr config::Key interval_key(const char* name)
{
    return config::quantity(name, config::Dimension::Time,
                            "Refresh interval of the valid rows in the group; 0: never.",
                            up_to_an_hour);
}
inline constexpr config::Key interval_keys[LEVEE_EDRAM_GROUPS] = {
    interval_key(group_names[LEVEE_EDRAM_HIGH_MSB]),
    interval_key(group_names[LEVEE_EDRAM_HIGH_LSB]),
    interval_key(group_names[LEVEE_EDRAM_LOW_MSB]),
    interval_key(group_names[LEVEE_EDRAM_LOW_LSB]),
};

inline constexpr config::Key interval_forms[] = {
    interval_key("intervals"),
    config::map("intervals", interval_keys, "One interval for each group.")};

inline constexpr config::Word group_words[LEVEE_EDRAM_GROUPS] = {
    {group_names[LEVEE_EDRAM_HIGH_MSB], LEVEE_EDRAM_HIGH_MSB},
    {group_names[LEVEE_EDRAM_HIGH_LSB], LEVEE_EDRAM_HIGH_LSB},
    {group_names[LEVEE_EDRAM_LOW_MSB], LEVEE_EDRAM_LOW_MSB},
    {group_names[LEVEE_EDRAM_LOW_LSB], LEVEE_EDRAM_LOW_LSB}};

inline constexpr config::Key curve_columns[] = {
    config::quantity("age", config::Dimension::Time, "Time since the cell was written.",
                     {1, UINT64_MAX / 2}),
    config::real("probability", 0, 1, "Share of the cells that have failed."),
};
inline constexpr config::Key curve_row[] = {
    config::row("", curve_columns, "[age, probability]", "One point of the curve.")};

inline constexpr config::Key retention_keys[] = {
    config::list(
        "curve", curve_row,
        "a list of [age, probability], such as [[45 us, 1e-6], [1 ms, 0.01]]: ages increase "
        "and probabilities do not decrease",
        "Share of the cells that have failed at an age; between points it is linear in the "
        "logarithm of the age.")
        .filled()
        .from("Kelle, section 3.2"),
    config::word(
        "failures", failure_words,
        "Choice of failing cells: always the same weak ones, or new ones in every interval.")
        .or_else("per_cell"),
    config::count("time_scale", "Factor from simulated time to the time of ageing and refresh.",
                  {1, 1'000'000})
        .or_else("1"),
    config::flag("read_restores", "A read restores the row, as a refresh does.").or_else("false"),
    config::word_list("groups", group_words, "Refresh groups whose cells can fail.")
        .or_else_is("all four"),
};

inline constexpr config::Key keys[] = {
    config::word(
        "layout", layout_words,
        "`plain`: all banks form one side; `kv`: keys (lower half) and values (upper half) "
        "have separate banks.")
        .or_else("plain")
        .from("Kelle, section 5.1"),
    config::pages("size", "Bytes of data; the register file follows them.", {4096, 0x1000'0000}),
    config::count32("banks",
                    "Total number of banks, on all sides and for both halves of the elements.",
                    {1, 4096})
        .from("Kelle, section 5.1"),
    config::quantity(
        "row", config::Dimension::Size,
        "Bytes of a row of one bank, a multiple of 16; a refresh restores a whole row.",
        {port_bytes, 4096})
        .or_else("128 B"),
    config::quantity("access", config::Dimension::Time, "Time to access 16 bytes of a bank's row.",
                     up_to_a_microsecond),
    config::quantity("latency", config::Dimension::Time,
                     "Latency of a single access over the bus; a stream pays it once."),
    config::quantity("refresh", config::Dimension::Time,
                     "Time to read and write back a row, in which its bank is busy.",
                     up_to_a_microsecond)
        .from("Kelle, section 5.1"),
    config::one_of("intervals", interval_forms,
                   "a time for all groups, such as 45 us, or a map with one for each of high_msb, "
                   "high_lsb, low_msb and low_lsb",
                   "Refresh intervals of the groups until firmware changes them; 0: "
                   "never.")
        .from("Kelle, section 4.2"),
    config::map("retention", retention_keys,
                "Failures of ageing cells; without this key no cell fails.")
        .optional(),
    config::count32("ports", "Number of ports that provide the bandwidth; affects only prices.",
                    {1, 64})
        .or_else("1"),
};

/// Keys of tech/edram/retention_time.yaml.
inline constexpr config::Key retention_time_keys[] = {
    config::quantity("retention_time", config::Dimension::Time,
                     "Age until which no cell of a memory without `retention` fails.")
        .from("Kelle, section 3.2 and table 1"),
};

} // namespace levee::edram
