// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// The quantity that a number with a unit measures. Brackets show the unit of the stored value.
enum class Dimension {
    Frequency,    ///< [Hz] "1 GHz"
    Bandwidth,    ///< [bytes per second] "64 GB/s"
    Size,         ///< [bytes] "4 MiB", "4 MB" (10^6)
    Time,         ///< [picoseconds] "45 us"
    TransferRate, ///< [transfers per second] "3200 MT/s"
    Energy,       ///< [attojoules] "22.9 pJ"
    Power,        ///< [picowatts] "415 mW"
    Area,         ///< [square micrometres] "7.3 mm2"
    Current,      ///< [microamperes] "45 mA"
    Voltage,      ///< [millivolts] "1.1 V"
    Count         ///< [1] "24"
};

/// Default bounds for keys that declare none. A run's time has 64 bits in picoseconds, which is 213
/// days. Delays above a second, and links slower than a megabyte per second, could exceed it. No
/// accelerator has such delays or links.
inline constexpr std::uint64_t longest_delay_ps = ps_per_second;
inline constexpr std::uint64_t slowest_bytes_per_second = 1'000'000;
inline constexpr std::uint64_t slowest_clock_hz = 1'000;

struct QuantityResult {
    std::uint64_t value = 0;
    std::string error; ///< Empty if the text is valid.
};

/// Reads "<number> <unit>" exactly. A value that is not a whole number of the stored unit is an
/// error.
[[nodiscard]] QuantityResult parse_quantity(std::string_view text, Dimension dimension);

/// Names of the units, from the largest to the smallest. A count has none.
[[nodiscard]] std::vector<std::string_view> unit_names(Dimension dimension);

/// Description for error messages, such as "a frequency such as '1 GHz'".
[[nodiscard]] std::string_view describe(Dimension dimension);

/// Formats the value in the largest unit in which it is a whole number: 1000000000 -> "1 GHz".
[[nodiscard]] std::string format_quantity(std::uint64_t value, Dimension dimension);

} // namespace levee::config
