// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::dram {

/// Currents of one supply of a device, in microamperes, by JEDEC's names.
struct Rail {
    std::uint64_t millivolts = 0;
    std::uint64_t idd0 = 0;       ///< one bank activated and precharged every tRC
    std::uint64_t idd2n = 0;      ///< standby, all banks precharged
    std::uint64_t idd3n = 0;      ///< standby, banks active
    std::uint64_t idd3n_bank = 0; ///< standby, one bank active, as in idd0; TN-41-01 uses idd3n
    std::uint64_t idd4r = 0;      ///< reading without a gap
    std::uint64_t idd4w = 0;      ///< writing without a gap
    std::uint64_t idd5 = 0;       ///< refreshing all banks every tRFC
    std::optional<std::uint64_t> idd5_bank; ///< refreshing a bank every tRFCpb
    std::uint64_t idd6 = 0;                 ///< in self-refresh
};

/// Published power data of a device.
struct Datasheet {
    unsigned data_bits = 0;      ///< width of the device
    std::uint64_t data_rate = 0; ///< data rate to which idd4r and idd4w apply
    std::vector<Rail> rails;
    // Published energies in attojoules; they replace the energies calculated from currents.
    std::optional<std::uint64_t> activate; ///< activate and precharge of `activate_bytes`
    std::uint64_t activate_bytes = 1;
    std::optional<std::uint64_t> read_bit, write_bit;
    // Energy of the interface for each bit, in addition to the device's.
    std::uint64_t interface_read_bit = 0, interface_write_bit = 0;
    std::string assumed; ///< which of these values are not published; empty: none
    /// Least and greatest energy of real devices, as factors of these energies.
    double low = 1.0, high = 1.0;
};

/// An energy: `zeptojoules` / `count`.
struct CommandEnergy {
    std::uint64_t zeptojoules = 0;
    std::uint64_t count = 1;
};

/// Energy of each command of one channel, and power of the whole memory in standby.
struct CommandEnergies {
    CommandEnergy activate, precharge;
    CommandEnergy read_burst, write_burst; ///< energy of a whole burst
    CommandEnergy refresh;                 ///< of all banks of a rank or of one bank, as configured
    CommandEnergy active_standby, idle_standby,
        self_refresh; ///< per picosecond, for all channels and ranks
};

/// Returns the faults of a datasheet, one sentence for each, with the key.
[[nodiscard]] std::vector<std::string> validate(const Datasheet& datasheet);

/// Micron's calculation (TN-41-01), with separate activates and precharges as in DRAMPower. Each
/// supply contributes:
///   activate (IDD0 - IDD3N of a bank) tRAS, precharge (IDD0 - IDD2N) (tRC - tRAS),
///   burst (IDD4 - IDD3N) times its time at the datasheet's data rate,
///   refresh (IDD5 - IDD3N) tRFC; a bank's refresh takes its part of this, unless idd5_bank is set.
/// Parallel devices make up a channel's width. Both arguments must be valid.
[[nodiscard]] CommandEnergies command_energies(const Datasheet& datasheet,
                                               const Parameters& parameters);

} // namespace levee::dram
