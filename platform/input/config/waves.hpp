// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::config {

enum class WaveFormat { Fst, Vcd };

/// Settings for waveforms of blocks that run RTL, in an interval of simulated time.
struct WavesConfig {
    std::uint64_t from_ps = 0, to_ps = UINT64_MAX;
    WaveFormat format = WaveFormat::Fst;
};

/// Reads "FROM..TO" with two times; either may be missing. Throws std::invalid_argument.
[[nodiscard]] WavesConfig parse_wave_window(const std::string& text);

/// Reads `observe.waves` (waves_keys); nothing if it is not given. Throws Error.
[[nodiscard]] std::optional<WavesConfig> read_waves(std::optional<MapReader> reader);

} // namespace levee::config
