// SPDX-License-Identifier: Apache-2.0
// Keys of a datasheet. A price list has a map from families of standards to datasheets.
#pragma once

#include "core/config/keys.hpp"

namespace levee::dram {

/// Limits with which products of a voltage and a current, in nanowatts, fit into 64 bits.
inline constexpr config::Limits up_to_1000_amperes{0, 1'000'000'000};
inline constexpr config::Limits up_to_100_volts{1, 100'000};

[[nodiscard]] constexpr config::Key current(const char* name, const char* meaning)
{
    return config::quantity(name, config::Dimension::Current, meaning, up_to_1000_amperes);
}

/// The currents of a supply, by JEDEC's names.
inline constexpr config::Key rail_keys[] = {
    config::quantity("voltage", config::Dimension::Voltage, "Voltage of the supply.",
                     up_to_100_volts),
    current("idd0", "Current while one bank is activated and precharged every tRC.")
        .or_else_is("0 where `activate` is stated, which else must have it"),
    current("idd2n", "Current in standby with all banks precharged."),
    current("idd3n", "Current in standby with banks active."),
    current("idd3n_bank", "Current in standby with one bank active, as in `idd0`.")
        .or_else_is("that of `idd3n`")
        .from("Micron TN-41-01"),
    current("idd4r", "Current while it reads without a gap.")
        .or_else_is("0 where `read` is stated, which else must have it"),
    current("idd4w", "Current while it writes without a gap.")
        .or_else_is("0 where `write` is stated, which else must have it"),
    current("idd5", "Current while all banks are refreshed every tRFC."),
    current("idd5_bank", "Current while a bank is refreshed every tRFCpb.")
        .or_else_is("a bank's part of `idd5`"),
    current("idd6", "Current in self-refresh.").or_else_is("that of `idd2n`"),
};

inline constexpr config::Word per_bit_words[] = {{"bit", 0}};

inline constexpr config::Key bit_keys[] = {
    config::quantity("energy", config::Dimension::Energy, "Energy of a bit.", {0, 1'000'000'000}),
    config::word("per", per_bit_words, "Amount that the energy is stated for."),
};

inline constexpr config::Key activate_keys[] = {
    config::quantity("energy", config::Dimension::Energy,
                     "Energy of an activate and its precharge.", {0, 1'000'000'000'000'000}),
    config::quantity("per", config::Dimension::Size,
                     "Bytes of the row for which the energy is stated.", {1, 1U << 20}),
};

inline constexpr config::Key datasheet_keys[] = {
    config::text("source", "Publication that states the values.").filled(),
    config::text("assumed", "Values that are assumed, as text for a warning of each run.")
        .or_else_is("nothing"),
    config::real("low", 0, 1,
                 "Factor from each energy to its lower bound, for other devices or typical values.")
        .or_else("1"),
    config::real("high", 1, 1000, "Factor from each energy to its upper bound.").or_else("1"),
    config::count32("data_bits", "Width of the device in bits.", {1, 4096}),
    config::quantity("data_rate", config::Dimension::TransferRate,
                     "Data rate at which `idd4r` and `idd4w` hold.", {1}),
    config::map("read", bit_keys, "Energy of a read bit, in place of the energy from `idd4r`.")
        .optional(),
    config::map("write", bit_keys, "Energy of a written bit, in place of the energy from `idd4w`.")
        .optional(),
    config::map("interface_read", bit_keys, "Energy of the interface for a bit that is read.")
        .optional(),
    config::map("interface_write", bit_keys, "Energy of the interface for a bit that is written.")
        .optional(),
    config::map("activate", activate_keys,
                "Energy of an activate and its precharge, in place of the energy from `idd0`.")
        .optional(),
    config::named("rails", rail_keys, "Supplies of the device and their currents."),
};

inline constexpr config::Key currents_key =
    config::named("currents", datasheet_keys,
                  "Datasheets by families of standards, instead of prices by event.")
        .optional();

} // namespace levee::dram
