// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// The quantity that a number with a unit measures, with the unit of its value in brackets.
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

/// Default bounds for keys without bounds of their own. A run's time is 64 bits of picoseconds, 213
/// days. Delays of a second, and links slower than a megabyte a second, would exhaust it, and no
/// accelerator has them.
inline constexpr std::uint64_t longest_delay_ps = 1'000'000'000'000;
inline constexpr std::uint64_t slowest_bytes_per_second = 1'000'000;
inline constexpr std::uint64_t slowest_clock_hz = 1'000;

struct QuantityResult {
    std::uint64_t value = 0;
    std::string error; ///< empty if it was understood
};

/// Reads "<number> <unit>" exactly: no rounding, a value that is not a whole count is an error.
[[nodiscard]] QuantityResult parse_quantity(std::string_view text, Dimension dimension);

/// Names of the units, from the largest to the smallest; of a count none.
[[nodiscard]] std::vector<std::string_view> unit_names(Dimension dimension);

/// An example of the unit for error messages: "a frequency such as '1 GHz'".
[[nodiscard]] std::string_view describe(Dimension dimension);

/// The value with the largest unit that keeps it whole: 1000000000 -> "1 GHz".
[[nodiscard]] std::string format_quantity(std::uint64_t value, Dimension dimension);

} // namespace levee::config
