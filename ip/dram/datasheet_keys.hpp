// SPDX-License-Identifier: Apache-2.0
// Keys of a datasheet. A price list maps each family of standards to a datasheet.
#pragma once

#include "core/config/keys.hpp"

namespace levee::dram {

/// With these limits, the product of a voltage and a current, in nanowatts, fits in 64 bits.
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
        .or_else_is("0 if `activate` is stated; otherwise required"),
    current("idd2n", "Current in standby with all banks precharged."),
    current("idd3n", "Current in standby with banks active."),
    current("idd3n_bank", "Current in standby with one bank active, as in `idd0`.")
        .or_else_is("the value of `idd3n`")
        .from("Micron TN-41-01"),
    current("idd4r", "Current during continuous reads.")
        .or_else_is("0 if `read` is stated; otherwise required"),
    current("idd4w", "Current during continuous writes.")
        .or_else_is("0 if `write` is stated; otherwise required"),
    current("idd5", "Current while all banks are refreshed every tRFC."),
    current("idd5_bank", "Current while one bank is refreshed every tRFCpb.")
        .or_else_is("a bank's share of `idd5`"),
    current("idd6", "Current in self-refresh.").or_else_is("the value of `idd2n`"),
};

inline constexpr config::Word per_bit_words[] = {{"bit", 0}};

inline constexpr config::Key bit_keys[] = {
    config::quantity("energy", config::Dimension::Energy, "Energy per bit.", {0, 1'000'000'000}),
    config::word("per", per_bit_words, "Amount of data to which the energy applies."),
};

inline constexpr config::Key activate_keys[] = {
    config::quantity("energy", config::Dimension::Energy,
                     "Energy of an activate and its precharge.", {0, 1'000'000'000'000'000}),
    config::quantity("per", config::Dimension::Size,
                     "Bytes of the row to which the energy applies.", {1, 1U << 20}),
};

inline constexpr config::Key datasheet_keys[] = {
    config::text("source", "Publication that states the values.").filled(),
    config::text("assumed", "Text that names the assumed values, for a warning in each run.")
        .or_else_is("nothing"),
    config::real("low", 0, 1,
                 "Factor from each energy to its lower bound, for other devices or typical values.")
        .or_else("1"),
    config::real("high", 1, 1000, "Factor from each energy to its upper bound.").or_else("1"),
    config::count32("data_bits", "Width of the device in bits.", {1, 4096}),
    config::quantity("data_rate", config::Dimension::TransferRate,
                     "Data rate to which `idd4r` and `idd4w` apply.", {1}),
    config::map("read", bit_keys, "Energy per bit read, instead of the energy from `idd4r`.")
        .optional(),
    config::map("write", bit_keys, "Energy per bit written, instead of the energy from `idd4w`.")
        .optional(),
    config::map("interface_read", bit_keys, "Energy of the interface per bit read, in addition.")
        .optional(),
    config::map("interface_write", bit_keys,
                "Energy of the interface per bit written, in addition.")
        .optional(),
    config::map("activate", activate_keys,
                "Energy of an activate and its precharge, instead of the energy from `idd0`.")
        .optional(),
    config::named("rails", rail_keys, "Supplies of the device and their currents."),
};

inline constexpr config::Key currents_key =
    config::named("currents", datasheet_keys,
                  "Datasheets by family of standards, instead of prices by event.")
        .optional();

} // namespace levee::dram
